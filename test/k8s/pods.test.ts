import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { overlayNames, type Pods, renderOverlay, skipWithoutKubectl, type Workload } from './overlay.ts'

/** The volume types that Pod Security "restricted" allows. */
const allowedVolumes = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim'].concat(
  'projected',
  'secret',
)

const containersOf = ({ spec }: Pods) => [...(spec.initContainers ?? []), ...spec.containers]

describe('the pods', { skip: skipWithoutKubectl }, () => {
  for (const name of overlayNames) {
    describe(`of ${name}`, () => {
      const overlay = renderOverlay(name)
      const api = overlay.one<Workload>('Deployment', 'lead-intake').spec
      const [container] = api.template.spec.containers
      assert(container)

      test('satisfy Pod Security "restricted", which their namespace enforces', () => {
        const [namespace] = overlay.all('Namespace')
        for (const mode of ['enforce', 'audit', 'warn']) {
          assert.equal(namespace?.metadata.labels[`pod-security.kubernetes.io/${mode}`], 'restricted')
        }
        for (const pods of overlay.pods) {
          const { spec } = pods
          assert.equal(spec.securityContext.runAsNonRoot, true)
          assert((spec.securityContext.runAsUser ?? 0) > 0)
          assert.equal(spec.securityContext.seccompProfile?.type, 'RuntimeDefault')
          assert(!spec.hostNetwork && !spec.hostPID && !spec.hostIPC)
          for (const { name: _, ...source } of spec.volumes ?? []) {
            assert(allowedVolumes.includes(String(Object.keys(source))), JSON.stringify(source))
          }
          for (const { securityContext, ports } of containersOf(pods)) {
            assert.equal(securityContext.allowPrivilegeEscalation, false)
            assert(!securityContext.privileged)
            assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] })
            assert(ports?.every(({ hostPort }) => hostPort === undefined) ?? true)
          }
        }
      })

      test('have a read-only root, no API token, and resource limits', () => {
        for (const pods of overlay.pods) {
          assert.equal(pods.spec.automountServiceAccountToken, false)
          assert.equal(pods.spec.enableServiceLinks, false)
          for (const { securityContext, resources } of containersOf(pods)) {
            assert.equal(securityContext.readOnlyRootFilesystem, true)
            for (const kind of ['requests', 'limits'] as const) {
              assert.deepEqual(Object.keys(resources[kind]).sort(), ['cpu', 'ephemeral-storage', 'memory'])
            }
          }
        }
      })

      test('of the service have three named ports', () => {
        assert.deepEqual(container.ports, [
          { name: 'public', containerPort: 8080 },
          { name: 'internal', containerPort: 9090 },
          { name: 'ops', containerPort: 9100 },
        ])
      })

      test('of the service have three probes on the ops port, and only readiness checks the store', () => {
        const { startupProbe, livenessProbe, readinessProbe } = container
        assert.deepEqual(startupProbe?.httpGet, { path: '/livez', port: 'ops' })
        assert.deepEqual(livenessProbe?.httpGet, { path: '/livez', port: 'ops' })
        assert.deepEqual(readinessProbe?.httpGet, { path: '/readyz', port: 'ops' })
        const startupSeconds = (startupProbe?.periodSeconds ?? 10) * (startupProbe?.failureThreshold ?? 3)
        assert(startupSeconds >= 60, 'a start may take a minute')
      })

      test('of the service have a longer grace period than the service needs', () => {
        // docs/specification.md §10: the process exits within 25 seconds of SIGTERM, including the drain.
        assert((api.template.spec.terminationGracePeriodSeconds ?? 0) >= 25 + 5)
      })

      test('of the service are replaced without losing capacity, and spread over zones and nodes', () => {
        assert.deepEqual(api.strategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
        const spread = api.template.spec.topologySpreadConstraints ?? []
        assert.deepEqual(
          spread.map(({ topologyKey }) => topologyKey),
          ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
        )
        for (const constraint of spread) {
          assert.equal(constraint.maxSkew, 1)
          assert.equal(constraint.whenUnsatisfiable, 'ScheduleAnyway')
          assert.deepEqual(constraint.matchLabelKeys, ['pod-template-hash'])
          assert.deepEqual(constraint.labelSelector, api.selector)
        }
      })

      test("of the migration run the service's image once, without retrying after invalid settings", () => {
        const [job] = overlay.all<Workload>('Job')
        const [migration] = job?.spec.template.spec.containers ?? []
        assert.equal(migration?.image, container.image)
        assert.deepEqual(migration?.command, ['node', 'dist/migrate.js'])
        assert.equal(job?.spec.template.spec.restartPolicy, 'Never')
        assert.deepEqual(job?.spec.podFailurePolicy?.rules, [
          { action: 'FailJob', onExitCodes: { containerName: migration?.name, operator: 'In', values: [78] } },
        ])
      })
    })
  }
})
