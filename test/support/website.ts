import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { othersPackages } from './machine.ts'
import { listen } from './ports.ts'

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
export const themes = () => {
  const folder = join(import.meta.dirname, '../fixtures/themes')
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
}
