import assert from 'node:assert/strict'
import { test } from 'node:test'
import { internalVersion, versionNames, versions } from '../../src/lead/versions.ts'

test('the messages that internal callers get have every field of every version', () => {
  for (const version of versionNames) {
    for (const kind of ['quote', 'support'] as const) {
      const shown = versions[internalVersion][kind].fields.map(({ jsonName }) => jsonName)
      for (const { jsonName } of versions[version][kind].fields)
        assert(shown.includes(jsonName), `${version} ${jsonName}`)
    }
  }
})
