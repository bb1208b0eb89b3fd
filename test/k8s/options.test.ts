import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { schemaFaults, typeFaults } from './manifest-faults.ts'
import { type Manifest, projectRoot, render, renderOverlay, skipWithoutKubectl } from './overlay.ts'

const k8s = join(projectRoot, 'k8s')

describe('the options', { skip: skipWithoutKubectl }, () => {
  test('lead the host of BASE_URL to the public port through an Ingress with TLS', () => {
    const { spec } = renderOverlay('private').one<
      Manifest & {
        spec: {
          tls: { hosts: string[] }[]
          rules: { host: string; http: { paths: { backend: { service: object } }[] } }[]
        }
      }
    >('Ingress', 'lead-intake')
    assert.deepEqual(spec.tls[0]?.hosts, ['api.example.org'])
    assert.equal(spec.rules[0]?.host, 'api.example.org')
    assert.deepEqual(spec.rules[0]?.http.paths[0]?.backend.service, { name: 'lead-intake', port: { name: 'public' } })
  })

  test('have a Gateway that fits the route: valid, with the listener that it names', async () => {
    const objects = parseAllDocuments(readFileSync(join(k8s, 'gateway.yaml'), 'utf8')).map((one) => one.toJS())
    assert.deepEqual(await schemaFaults(objects), [])
    assert.deepEqual(typeFaults(objects), [])
    const { spec } = renderOverlay('production').one<Manifest & { spec: { parentRefs: object[] } }>(
      'HTTPRoute',
      'lead-intake',
    )
    const [{ metadata, spec: gateway }] = objects
    const [, { name: sectionName }] = gateway.listeners
    assert.deepEqual(spec.parentRefs, [{ name: metadata.name, namespace: metadata.namespace, sectionName }])
  })

  test('scale by CPU and by submissions', () => {
    const { spec } = renderOverlay('private').one<Manifest & { spec: { metrics: { type: string }[] } }>(
      'HorizontalPodAutoscaler',
      'lead-intake',
    )
    assert.deepEqual(
      spec.metrics.map(({ type }) => type),
      ['Resource', 'Pods'],
    )
  })

  test('give the Job another name for another image of the same version', () => {
    const root = mkdtempSync(join(tmpdir(), 'lead-intake-k8s-'))
    try {
      cpSync(k8s, root, { recursive: true })
      const base = join(root, 'base/kustomization.yaml')
      const text = readFileSync(base, 'utf8')
      const version = /app\.kubernetes\.io\/version: (\S+)/.exec(text)?.[1] ?? ''
      writeFileSync(base, text.replace(`version: ${version}`, `version: ${version}-2`))
      const [job] = render(join(root, 'base'), 'base').all('Job')
      assert.equal(job?.metadata.name, `lead-intake-migration-${version.replaceAll('.', '-')}-2`)
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})
