import { createServer } from 'node:http'
import { buildSync } from 'esbuild'
import { listen } from './ports.ts'
import { othersPackages } from './tools.ts'

export type Website = Awaited<ReturnType<typeof openWebsite>>

/** A website that has the forms: what it serves at each path, with which Content-Security-Policy. */
export async function openWebsite() {
  const website = { origin: '', files: {} as Record<string, string>, policy: '', server: createServer() }
  website.server.on('request', ({ url = '' }, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    if (website.policy) response.setHeader('Content-Security-Policy', website.policy)
    response.end(website.files[url.replace(/\?.*/, '')] ?? website.files['/'])
  })
  website.origin = `http://127.0.0.1:${await listen(website.server)}`
  return website
}

/** A page of a website, with some lines in its body. */
export const pageOf = (body: string, head = '') => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A website</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
${head}</head>
<body><main><h1>A website</h1>
${body}
</main></body></html>`

/** What the owner of a website pastes. */
export const snippet = (url: string) => `<script src="${url}/website-forms.js" async></script>
<lead-form kind="quote" services="Regular cleaning, Deep clean">Call (202) 555-0100 or write to us.</lead-form>
<lead-form kind="support">Call (202) 555-0100 or write to us.</lead-form>`

/** A script for a page, with the packages that it imports. */
export function bundleOf(contents: string): string {
  const define = { 'process.env.NODE_ENV': '"production"' }
  const stdin = { contents, resolveDir: othersPackages }
  return (
    buildSync({ stdin, define, bundle: true, write: false, minify: true, format: 'esm' }).outputFiles[0]?.text ?? ''
  )
}

/** What `/website-forms.md` has between the code fences with this title. */
export async function sampleOf(url: string, title: string): Promise<string> {
  const markdown = await (await fetch(`${url}/website-forms.md`)).text()
  const [, sample] = markdown.split(`\`\`\`${title}\n`)
  if (sample === undefined) throw new Error(`/website-forms.md has no ${title}`)
  return sample.split('\n```')[0] ?? ''
}

/** The styles of websites, which none of them wrote for this form. */
export const themes: Readonly<Record<string, string>> = {
  'a small root font on a dark page, and checkboxes drawn by hand': `
    html { font-size: 62.5%; } body { padding: 16px !important; background: #28303d; font-size: 10px; }
    form * { color: #39414d; margin: 9px !important; }
    input, select, textarea, button { all: unset; direction: rtl; font-size: 10px !important; color: #ddd; background: transparent; }
    input[type=checkbox] { position: absolute; opacity: 0; width: 0; height: 0; clip-path: inset(50%); }
    main form label { text-transform: uppercase; float: left; width: 150px; font-size: 9px; position: relative; }
    label::before { content: ''; display: inline-block; width: 12px; height: 12px; border: 1px solid #ddd; }
    form { display: flex; columns: 2; } form p { text-indent: 2em; } button { float: right; } a { color: #cd2653; }`,
  'everything important': `
    * { color: #c0f !important; font: italic 30px/3 fantasy !important; text-transform: uppercase !important; text-indent: 3em !important;
      box-sizing: content-box !important; border: 3px dotted lime !important; }
    lead-form { all: unset !important; }`,
  'right to left, with a reset, flexbox and animation': `
    html { direction: rtl; } main { display: flex; flex-direction: column; white-space: pre; } main > * { filter: blur(9px); clip-path: inset(50%); }
    @keyframes spin { to { transform: rotate(1turn); } } lead-form { animation: spin 1s infinite; user-select: none; } *, ::before, ::after { margin: 0; padding: 0; list-style: none; outline: 0 !important; }
    :focus { outline: none !important; box-shadow: none !important; } [hidden] { display: block !important; }
    p:empty { height: 5em; display: block !important; } fieldset { border: 9px solid red; min-width: 90vw; } ::placeholder { color: red; }`,
}
