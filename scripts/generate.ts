// Writes what is made from the proto files, the settings and the texts, after `buf generate`: src/gen/site,
// docs/settings.md and the tables of docs/specification.md. Takes an output folder, like `buf generate --output`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pagePaths } from '../src/site/documents.ts'
import { readContent } from './generate/content.ts'
import { createFormsScript } from './generate/forms-script.ts'
import { renderPage } from './generate/html-page.ts'
import { markdownPage } from './generate/markdown-page.ts'
import { createOpenApi } from './generate/openapi/description.ts'
import { createLlmsTxt, createPage } from './generate/pages.ts'
import { printSettings } from './generate/settings-table.ts'
import { fillSpecification } from './generate/specification-tables.ts'

const root = join(import.meta.dirname, '..')
const output = process.argv[2] ?? root
const site = join(output, 'src/gen/site')

const files = new Map([
  ['openapi.json', createOpenApi()],
  ['llms.txt', createLlmsTxt()],
  ['website-forms.js', createFormsScript()],
])
const layout = readContent('layout.html')
for (const path of pagePaths) {
  const markdown = createPage(path).replaceAll('](/', ']({{baseUrl}}/')
  files.set(`${path}.html`, renderPage(path, markdown, layout))
  files.set(`${path}.md`, markdownPage(markdown))
}
rmSync(site, { recursive: true, force: true })
for (const [name, text] of files) {
  const path = join(site, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text.replaceAll('{{contact}}', '{{phone}} and {{email}}'))
}

mkdirSync(join(output, 'docs'), { recursive: true })
writeFileSync(join(output, 'docs/settings.md'), printSettings())
const specification = readFileSync(join(root, 'docs/specification.md'), 'utf8')
writeFileSync(join(output, 'docs/specification.md'), fillSpecification(specification))
