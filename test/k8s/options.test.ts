import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { schemaFaults, typeFaults } from './manifest-faults.ts'
import { type Manifest, projectRoot, render, skipWithoutKubectl } from './overlay.ts'

const options = ['grpc-gateway', 'hpa-requests']

describe('the optional components', { skip: skipWithoutKubectl }, () => {
  const root = mkdtempSync(join(tmpdir(), 'lead-intake-k8s-'))
  after(() => rmSync(root, { recursive: true, force: true }))
  cpSync(join(projectRoot, 'k8s'), root, { recursive: true })
  const file = join(root, 'overlays/production/kustomization.yaml')
  const production = readFileSync(file, 'utf8')
  const withOptions = options.map((name) => `  - ../../components/${name}\n`).join('')
  writeFileSync(file, production.replace('components:\n', `components:\n${withOptions}`))
  const overlay = render(join(root, 'overlays/production'), 'production with options')

  test('match the API schemas, without unknown fields', async () => {
    assert.deepEqual(await schemaFaults(overlay.objects), [])
    assert.deepEqual(typeFaults(overlay.objects), [])
  })

  test('route gRPC only to the lead services, without a timeout that would end a stream', () => {
    const { spec } = overlay.one<
      Manifest & { spec: { rules: { matches: { method: { service: string } }[]; timeouts?: object }[] } }
    >('GRPCRoute', 'lead-intake')
    assert.deepEqual(
      spec.rules.flatMap(({ matches }) => matches.map(({ method }) => method.service)),
      ['leadintake.v1.LeadIntakeService', 'leadintake.v1.LeadInboxService'],
    )
    assert.equal(spec.rules[0]?.timeouts, undefined)
  })

  test('scale by CPU and by submissions', () => {
    const { spec } = overlay.one<Manifest & { spec: { metrics: { type: string }[] } }>(
      'HorizontalPodAutoscaler',
      'lead-intake',
    )
    assert.deepEqual(
      spec.metrics.map(({ type }) => type),
      ['Resource', 'Pods'],
    )
  })

  test('give the Job another name for another image of the same version', () => {
    const base = join(root, 'base/kustomization.yaml')
    const text = readFileSync(base, 'utf8')
    const version = /app\.kubernetes\.io\/version: (\S+)/.exec(text)?.[1] ?? ''
    writeFileSync(base, text.replace(`version: ${version}`, `version: ${version}-2`))
    const [job] = render(join(root, 'base'), 'base').all('Job')
    assert.equal(job?.metadata.name, `lead-intake-migration-${version.replaceAll('.', '-')}-2`)
  })
})
