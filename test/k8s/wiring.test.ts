import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  isSelected,
  type Labels,
  type Manifest,
  overlayNames,
  projectRoot,
  renderOverlay,
  type Service,
  skipWithoutKubectl,
  type Workload,
} from './overlay.ts'

interface Autoscaler extends Manifest {
  spec: { scaleTargetRef: { kind: string; name: string }; minReplicas: number; maxReplicas: number }
}

interface DisruptionBudget extends Manifest {
  spec: { maxUnavailable: number; unhealthyPodEvictionPolicy: string; selector: { matchLabels: Labels } }
}

/** Those that docs/kubernetes.md says to create. */
const operatorsSecrets = ['lead-intake-secrets', 'lead-intake-migration', 'lead-intake-backup', 'leads-to-mail']
const labelPrefix = 'app.kubernetes.io/'
const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

describe('the objects', { skip: skipWithoutKubectl }, () => {
  for (const name of overlayNames) {
    describe(`of ${name}`, () => {
      const overlay = renderOverlay(name)
      const api = overlay.one<Workload>('Deployment', 'lead-intake')
      const settings = overlay.all<Manifest & { data: Labels }>('ConfigMap').find(({ data }) => data.REPLICAS)
      const services = overlay.all<Service>('Service')
      const chosen = (selector: Labels) => overlay.pods.filter(({ labels }) => isSelected(selector, labels))

      test('are all in one namespace, which is included', () => {
        const [namespace, ...others] = overlay.all('Namespace')
        assert.equal(others.length, 0)
        for (const { kind, metadata } of overlay.objects) {
          if (!['Namespace', 'PriorityClass'].includes(kind))
            assert.equal(metadata.namespace, namespace?.metadata.name, metadata.name)
        }
      })

      test('carry the recommended labels, on their pods too', () => {
        const names = ['name', 'instance', 'component', 'part-of', 'managed-by']
        const everyLabels = [
          ...overlay.objects.map(({ metadata }) => metadata.labels),
          ...overlay.pods.map((p) => p.labels),
        ]
        for (const labels of everyLabels) {
          const missing = names.filter((label) => !labels?.[labelPrefix + label])
          assert.deepEqual(missing, [], JSON.stringify(labels))
        }
      })

      test('select by name, instance and component only, and each selector matches its pods', () => {
        const stable = ['name', 'instance', 'component'].map((label) => labelPrefix + label).sort()
        for (const { workload, labels } of overlay.pods.filter(({ workload }) => !/Job$/.test(workload.kind))) {
          const selector = workload.spec.selector?.matchLabels ?? {}
          assert.deepEqual(Object.keys(selector).sort(), stable)
          assert(isSelected(selector, labels))
          assert.equal(chosen(selector).length, 1, `${workload.metadata.name} selects pods of another workload`)
        }
        for (const { metadata, spec } of services) {
          assert.deepEqual(Object.keys(spec.selector).sort(), stable)
          assert.equal(chosen(spec.selector).length, 1, metadata.name)
        }
        for (const { spec } of overlay.all<DisruptionBudget>('PodDisruptionBudget')) {
          assert.deepEqual(spec.selector, api.spec.selector)
          assert.equal(spec.maxUnavailable, 1)
          assert.equal(spec.unhealthyPodEvictionPolicy, 'AlwaysAllow')
        }
      })

      test('refer to ports by names that the pods define', () => {
        for (const { metadata, spec } of services) {
          const [pods] = chosen(spec.selector)
          const ports = pods?.spec.containers.flatMap((container) => container.ports ?? []) ?? []
          for (const { targetPort } of spec.ports) {
            assert(
              ports.some((port) => port.name === targetPort),
              `${metadata.name}: ${targetPort}`,
            )
          }
        }
        for (const { spec } of overlay.pods) {
          for (const { ports = [], ...container } of spec.containers) {
            for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
              const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port
              assert(port === undefined || ports.some((known) => known.name === port), String(port))
            }
          }
        }
      })

      test('give the public listener a Service, the internal one a headless Service, and open no port to the outside', () => {
        assert.deepEqual(overlay.one<Service>('Service', 'lead-intake').spec.ports, [
          { name: 'public', port: 80, targetPort: 'public', appProtocol: 'http' },
        ])
        const internal = overlay.one<Service>('Service', 'lead-intake-internal').spec
        assert.equal(internal.clusterIP, 'None')
        assert.deepEqual(internal.ports, [{ name: 'internal', port: 9090, targetPort: 'internal' }])
        for (const { spec } of services) assert(spec.type === undefined || spec.type === 'ClusterIP')
      })

      test('leave the number of replicas to the autoscaler, with REPLICAS as its maximum', () => {
        const [autoscaler, ...others] = overlay.all<Autoscaler>('HorizontalPodAutoscaler')
        assert(autoscaler && others.length === 0)
        const { scaleTargetRef, minReplicas, maxReplicas } = autoscaler.spec
        assert.deepEqual(scaleTargetRef, { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lead-intake' })
        assert.equal(api.spec.replicas, undefined)
        assert.equal(Number(settings?.data.REPLICAS), maxReplicas)
        assert(minReplicas >= 2, 'a disruption budget of one needs a second replica')
      })

      test('keep the shared limit while Redis is down, even with one more replica during a rollout', () => {
        const { spec } = overlay.one<Autoscaler>('HorizontalPodAutoscaler', 'lead-intake')
        const limit = Number(settings?.data.RATE_LIMIT ?? 10)
        const each = Math.max(1, Math.floor(limit / Number(settings?.data.REPLICAS)))
        // Three replicas admit three each. A rollout's fourth replica admits more than the limit by a tolerated amount.
        const most = (spec.maxReplicas + (name === 'dev' ? 0 : 1)) * each
        assert(most <= limit, `${most} requests could be admitted, and ${limit} may be`)
      })

      test('refer only to ConfigMaps, Secrets and accounts that exist or that the operator creates', () => {
        const made = new Set(overlay.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
        if (name !== 'dev') for (const secret of operatorsSecrets) made.add(`Secret ${secret}`)
        for (const { spec } of overlay.all<Manifest & { spec: { secretName: string } }>('Certificate'))
          made.add(`Secret ${spec.secretName}`)
        for (const { spec } of overlay.pods) {
          const wanted = spec.volumes?.flatMap(({ secret }) => (secret ? `Secret ${secret.secretName}` : [])) ?? []
          for (const { envFrom = [] } of spec.containers) {
            wanted.push(...envFrom.map(({ configMapRef }) => `ConfigMap ${configMapRef?.name}`))
          }
          if (spec.serviceAccountName) wanted.push(`ServiceAccount ${spec.serviceAccountName}`)
          for (const reference of wanted) assert(made.has(reference), `${reference} is nowhere`)
        }
      })

      test('contain secrets only by reference, as files', () => {
        assert.deepEqual(name === 'dev' ? [] : overlay.all('Secret'), [])
        for (const { spec } of overlay.pods) {
          for (const { env = [], envFrom = [] } of spec.containers) {
            for (const { name: variable, value } of env) {
              if (/URL|PASSWORD|SECRET|KEY/.test(variable)) assert.match(variable, /_FILE$/)
              assert.doesNotMatch(value ?? '', /:\/\//)
            }
            assert(envFrom.every(({ secretRef }) => secretRef === undefined))
          }
        }
        for (const { data } of overlay.all<Manifest & { data: Labels }>('ConfigMap')) {
          for (const [key, value] of Object.entries(data)) {
            assert.doesNotMatch(value, /:\/\/[^/\s"]*@/, `${key} holds a URL with a password`)
            if (/PASSWORD|SECRET|DATABASE_URL|REDIS_URL/.test(key)) assert.match(key, /_FILE$/)
          }
        }
      })

      test('generate the settings with a hash, so that a change restarts the pods', () => {
        assert.match(String(settings?.metadata.name), /^lead-intake-settings-[a-z0-9]{10}$/)
      })
    })
  }

  test('of production route the domain in BASE_URL to the public port only', () => {
    const overlay = renderOverlay('production')
    const routes = overlay.all<Manifest & { spec: { hostnames: string[]; rules: { backendRefs: object[] }[] } }>(
      'HTTPRoute',
    )
    const settings = overlay.all<Manifest & { data: Labels }>('ConfigMap').find(({ data }) => data.BASE_URL)
    assert.equal(routes.length, 1)
    assert.deepEqual(routes[0]?.spec.hostnames, [new URL(settings?.data.BASE_URL ?? '').hostname])
    const backends = routes[0]?.spec.rules.flatMap(({ backendRefs }) => backendRefs)
    assert.deepEqual(backends, [{ name: 'lead-intake', port: 80 }])
  })

  test('name the migration after its version, because Jobs are immutable', () => {
    const [job] = renderOverlay('production').all('Job')
    assert.equal(job?.metadata.name, `lead-intake-migration-${version.replaceAll('.', '-')}`)
  })

  test('of production run the image of this version', () => {
    const image = renderOverlay('production').one<Workload>('Deployment', 'lead-intake').spec.template.spec
      .containers[0]?.image
    assert.match(String(image), new RegExp(`:${version}$`))
  })
})
