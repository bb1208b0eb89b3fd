import { type Version, versionNames } from '../../lead/versions.ts'

/** The name of a part of the document in one version. Names of the first version have no suffix. */
export function nameIn(version: Version, name: string): string {
  return version === versionNames[0] ? name : `${name}${version.toUpperCase()}`
}
