// Adds a button to each sample that copies it. Pages need no script: without this one, samples are selected by hand.
for (const pre of navigator.clipboard ? document.querySelectorAll('pre') : []) {
  const title = pre.closest('.code').querySelector('figcaption, summary').textContent
  const button = document.createElement('button')
  const show = (text) => {
    button.textContent = text
    button.setAttribute('aria-label', `${text}: ${title}`)
  }
  show('Copy')
  button.className = 'copy'
  button.type = 'button'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    show('Copied')
    setTimeout(show, 2000, 'Copy')
  })
  pre.parentElement.classList.add('copyable')
  pre.after(button)
}
