import { type Version, versionNames } from '../../lead/versions.ts'

/** What a part of the document is called in one version. The names of the first were published without it. */
export function nameIn(version: Version, name: string): string {
  return version === versionNames[0] ? name : `${name}${version.toUpperCase()}`
}
