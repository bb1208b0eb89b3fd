// Adds a button to each sample that copies it. Pages need no script: without this one, samples are selected by hand.
for (const pre of navigator.clipboard ? document.querySelectorAll('pre') : []) {
  const button = document.createElement('button')
  button.className = 'copy'
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  pre.parentElement.classList.add('copyable')
  pre.after(button)
}
