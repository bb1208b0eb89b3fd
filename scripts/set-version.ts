// Sets the version everywhere: `npm run version:set 1.2.0`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The places with the version: the file, and the text in front of the version. */
export const places: readonly (readonly [file: string, before: RegExp])[] = [
  ['package.json', /^ {2}"version": "/m],
  ['package-lock.json', /^ {2}"version": "/m],
  // The project itself is the first package.
  ['package-lock.json', /^ {6}"version": "/m],
  ['Dockerfile', /^ARG VERSION=/m],
  ['k8s/base/kustomization.yaml', /^ +newTag: /m],
  ['k8s/components/leads-to-mail/kustomization.yaml', /^ +newTag: /m],
  ['k8s/base/kustomization.yaml', /^ +app\.kubernetes\.io\/version: /m],
  // Commands to copy that name the image.
  ['Dockerfile', /\blead-intake:/g],
  ['docs/kubernetes.md', /\blead-intake:/g],
  ['docs/operations.md', /\blead-intake:/g],
  ['docs/vm.md', /\blead-intake(?:-mail)?:/g],
  ['deploy/vm/compose.yaml', /\blead-intake(?:-mail)?:/g],
]

const version = /\d+\.\d+\.\d+/

/** Writes the version into a project's files. Throws before any change when one of the places is not found. */
export function setVersion(root: string, next: string): void {
  if (!new RegExp(`^${version.source}$`).test(next)) throw new Error(`expected a version such as 1.2.0; got "${next}"`)
  const texts = new Map(places.map(([file]) => [file, readFileSync(join(root, file), 'utf8')]))
  for (const [file, before] of places) {
    const place = new RegExp(`(${before.source})${version.source}`, before.flags)
    const text = texts.get(file) ?? ''
    if (!place.test(text)) throw new Error(`${file}: no version after ${before}`)
    texts.set(
      file,
      text.replace(place, (_, found: string) => found + next),
    )
  }
  for (const [file, text] of texts) writeFileSync(join(root, file), text)
}

if (import.meta.main) {
  const [next = ''] = process.argv.slice(2)
  setVersion(join(import.meta.dirname, '..'), next)
  console.log(`The version is ${next}. Now update CHANGELOG.md by hand.`)
}
