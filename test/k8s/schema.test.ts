import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { schemaFaults, typeFaults } from './manifest-faults.ts'
import { overlayNames, renderOverlay, skipWithoutKubectl, type Workload } from './overlay.ts'

describe('the Kubernetes manifests', { skip: skipWithoutKubectl }, () => {
  for (const name of overlayNames) {
    test(`of ${name} match the API schemas`, async () => {
      const { objects } = renderOverlay(name)
      assert(objects.length > 10)
      assert.deepEqual(await schemaFaults(objects), [])
    })

    test(`of ${name} have no unknown fields`, () => {
      assert.deepEqual(typeFaults(renderOverlay(name).objects), [])
    })
  }

  test('are checked by a test that detects wrong values and misspelled fields', async () => {
    const { one } = renderOverlay('production')
    const broken = (kind: string, name: string, spec: object) => {
      const object = one<Workload>(kind, name)
      return { ...object, spec: { ...object.spec, ...spec } }
    }
    const wrong = broken('Deployment', 'lead-intake', { replicas: 'three' })
    assert.match((await schemaFaults([wrong])).join(), /replicas/)
    const misspelt = [
      broken('Deployment', 'lead-intake', { replica: 3 }),
      broken('PrometheusRule', 'lead-intake-alerts', {
        groups: [{ name: 'a', rules: [{ expr: '1', annotation: {} }] }],
      }),
    ]
    const faults = typeFaults(misspelt)
    assert.match(String(faults[0]), /^Deployment lead-intake: .*"replica"/)
    assert.match(String(faults[1]), /^PrometheusRule lead-intake-alerts: .*"annotation"/)
  })
})
