import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/reader.ts'
import { settings as table } from '../../src/config/settings.ts'
import { createAuthority } from '../rpc/certificates.ts'
import { newFolder } from '../support/folder.ts'
import { root } from '../support/process.ts'
import { realBusiness } from '../support/submissions.ts'
import {
  isSelected,
  type Labels,
  type Manifest,
  type Overlay,
  overlayNames,
  renderOverlay,
  skipWithoutKubectl,
} from './overlay.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json'))

/** The packages with the types of APIs that are not Kubernetes' own. */
const packages: Record<string, string> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

/** What the types of the API find: unknown and missing members, and wrong values. */
function typeFaults(objects: readonly Manifest[]): string {
  const parent = join(root, 'node_modules/.manifests')
  mkdirSync(parent, { recursive: true })
  const cwd = mkdtempSync(join(parent, 'check-'))
  try {
    // A file for each object, so that a fault names it.
    const files = objects.map((object, index) => {
      const { apiVersion, kind, metadata } = object
      const file = `${kind}-${metadata.name}-${index}.mts`
      const types = `${packages[apiVersion.split('/')[0]] ?? 'kubernetes-models'}/${apiVersion}`
      writeFileSync(join(cwd, file), `export const it: import('${types}').I${kind} = ${JSON.stringify(object)}\n`)
      return file
    })
    const options = '--ignoreConfig --noEmit --strict --skipLibCheck --pretty false --module nodenext --types'
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...options.split(' '), '', ...files]
    const { stdout, stderr } = spawnSync(process.execPath, tsc, { encoding: 'utf8', cwd })
    return stdout + stderr
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

/** What an operator puts into the production Secret (docs/kubernetes.md). */
const operatorsSecret = {
  DATABASE_URL: 'postgres://lead_intake:not-a-real-one@postgres.example.net:5432/lead_intake?sslmode=verify-full',
  REDIS_URL: 'rediss://lead-intake:not-a-real-one@redis.example.net:6379',
  RATE_LIMIT_SECRET: 'not-a-real-one-not-a-real-one-32',
}
/** Those that docs/kubernetes.md says to create. */
const operatorsSecrets = ['lead-intake-secrets', 'lead-intake-migration', 'lead-intake-backup', 'leads-to-mail']

/** What the service reads from these settings, and from files where the Secret and cert-manager put them. */
function configOf(settings: Labels, secret: Labels) {
  const folder = newFolder()
  const authority = createAuthority('test')
  const { cert, key } = authority.issue('lead-intake-internal', { names: ['DNS:lead-intake-internal'] })
  const files = { ...secret, 'ca.crt': authority.cert, 'tls.crt': cert, 'tls.key': key }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const here = (value: string) => value.replace(/^\/run\/secrets\/[\w-]+/, () => folder)
  return readConfig(Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, here(value)])))
}

const hardened = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true }

/** The components of the pods that match a selector. */
const components = ({ pods }: Overlay, selector: Labels = {}) =>
  pods.flatMap(({ labels }) => (isSelected(selector, labels) ? labels['app.kubernetes.io/component'] : []))

function peerNames(overlay: Overlay, { podSelector, namespaceSelector, ipBlock }: Manifest) {
  if (ipBlock) return [ipBlock.cidr]
  if (!namespaceSelector) return components(overlay, podSelector.matchLabels)
  const textOf = ({ matchLabels }: Manifest) => Object.entries(matchLabels).map((entry) => entry.join('='))
  return [`namespaces ${textOf(namespaceSelector)}${podSelector ? ` pods ${textOf(podSelector)}` : ''}`]
}

/** Every connection that the policies allow, from the side that allows it, sorted. */
function arrows(overlay: Overlay): string[] {
  const drawn: string[] = []
  for (const { metadata, spec } of overlay.all('NetworkPolicy')) {
    const { podSelector, ingress = [], egress = [] } = spec
    for (const { from, to, ports } of [...ingress, ...egress]) {
      const peers = from ?? to
      assert(ports?.length && peers?.length, `${metadata.name} has a rule that allows every port or every peer`)
      for (const own of components(overlay, podSelector.matchLabels))
        for (const named of peers.flatMap((peer: Manifest) => peerNames(overlay, peer)))
          for (const { port, protocol } of ports)
            drawn.push(`${own} ${from ? '<-' : '->'} ${named} ${port}/${protocol}`)
    }
  }
  return drawn.sort()
}

const dns = ['namespaces kubernetes.io/metadata.name=kube-system pods k8s-app=kube-dns', '169.254.20.10/32']
const dnsOf = (own: string) => dns.flatMap((at) => [`${own} -> ${at} 53/UDP`, `${own} -> ${at} 53/TCP`])
/** Between two workloads, whose policies both allow it. */
const both = (own: string, at: string, port: number) => [`${own} -> ${at} ${port}/TCP`, `${at} <- ${own} ${port}/TCP`]

/** The connections in the diagram of docs/kubernetes.md. */
const always = [
  'api <- namespaces kubernetes.io/metadata.name=gateway 8080/TCP',
  'api <- namespaces lead-intake/internal-caller=true pods lead-intake/internal-caller=true 9090/TCP',
  'api <- namespaces kubernetes.io/metadata.name=monitoring 9100/TCP',
  ...dnsOf('api'),
  ...dnsOf('migration'),
]

const managed = [
  ...always,
  'api -> 10.60.0.0/24 5432/TCP',
  'migration -> 10.60.0.0/24 5432/TCP',
  'api -> 10.60.0.0/24 6379/TCP',
]

const drawnArrows = {
  dev: [...always, ...both('api', 'store', 5432), ...both('migration', 'store', 5432), ...both('api', 'limiter', 6379)],
  production: managed,
  private: [
    ...managed,
    ...dnsOf('backup'),
    'backup -> 10.60.0.0/24 5432/TCP',
    ...dnsOf('consumer'),
    ...both('consumer', 'api', 9090),
    ...['0.0.0.0/0 465', '0.0.0.0/0 587', '::/0 465', '::/0 587'].map((at) => `consumer -> ${at}/TCP`),
  ],
}

describe('the Kubernetes manifests', { skip: skipWithoutKubectl }, () => {
  const gateway = parseAllDocuments(read('k8s/components/gateway/gateway.example.yaml')).map(
    (one) => one.toJS() as Manifest,
  )

  test('have the members and types of their APIs, and no others', () => {
    assert.equal(typeFaults([...gateway, ...overlayNames.flatMap((name) => renderOverlay(name).objects)]), '')
  })

  for (const name of overlayNames) {
    describe(`of ${name}`, () => {
      const { objects, pods, all, one, settings } = renderOverlay(name)
      const api = one('Deployment', 'lead-intake').spec
      const [container] = api.template.spec.containers
      const [autoscaler] = all('HorizontalPodAutoscaler')
      const chosen = (selector: Labels) => pods.filter(({ labels }) => isSelected(selector, labels))

      test('are in one namespace, and each selector matches the pods of one workload', () => {
        const [namespace] = all('Namespace')
        for (const { kind, metadata } of objects)
          if (!['Namespace', 'PriorityClass'].includes(kind))
            assert.equal(metadata.namespace, namespace?.metadata.name, metadata.name)
        const workloads = pods.filter(({ workload }) => !/Job$/.test(workload.kind))
        for (const { workload, labels } of workloads) assert(isSelected(workload.spec.selector.matchLabels, labels))
        for (const { metadata, spec } of [...workloads.map(({ workload }) => workload), ...all('Service')])
          assert.equal(chosen(spec.selector.matchLabels ?? spec.selector).length, 1, metadata.name)
        for (const { spec } of all('PodDisruptionBudget')) assert.deepEqual(spec.selector, api.selector)
      })

      test('refer to ports, ConfigMaps, Secrets and accounts that exist or that the operator creates', () => {
        const made = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
        if (name !== 'dev') for (const secret of operatorsSecrets) made.add(`Secret ${secret}`)
        for (const { spec } of all('Certificate')) made.add(`Secret ${spec.secretName}`)
        for (const { spec } of pods) {
          const wanted = [`ServiceAccount ${spec.serviceAccountName ?? 'lead-intake'}`]
          for (const { secret } of spec.volumes ?? []) if (secret) wanted.push(`Secret ${secret.secretName}`)
          for (const { envFrom = [], ports = [], startupProbe, livenessProbe, readinessProbe } of spec.containers) {
            wanted.push(...envFrom.map(({ configMapRef }: Manifest) => `ConfigMap ${configMapRef.name}`))
            for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
              const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port
              assert(port === undefined || ports.some((known: Manifest) => known.name === port), port)
            }
          }
          for (const reference of wanted) assert(made.has(reference), `${reference} is nowhere`)
        }
        for (const { metadata, spec } of all('Service')) {
          const [pod] = chosen(spec.selector)
          const ports = pod?.spec.containers.flatMap((one: Manifest) => one.ports.map(({ name }: Manifest) => name))
          for (const { targetPort } of spec.ports) assert(ports.includes(targetPort), `${metadata.name}: ${targetPort}`)
          assert.equal(spec.type ?? 'ClusterIP', 'ClusterIP', 'none is open to the outside')
        }
        assert.equal(one('Service', 'lead-intake-internal').spec.clusterIP, 'None', 'RPC clients balance by themselves')
      })

      test('leave the number of replicas to the autoscaler, and keep the shared limit while Redis is down', () => {
        const { scaleTargetRef, minReplicas, maxReplicas } = autoscaler?.spec ?? {}
        assert.deepEqual([scaleTargetRef.name, api.replicas], ['lead-intake', undefined])
        assert.equal(Number(settings.REPLICAS), maxReplicas)
        assert(minReplicas >= 2, 'a disruption budget of one needs a second replica')
        assert.equal(all('PodDisruptionBudget')[0]?.spec.maxUnavailable, 1)
        // A rollout adds a replica. On a laptop, it may admit more than the limit.
        const most = (maxReplicas + (name === 'dev' ? 0 : 1)) * Math.max(1, Math.floor(10 / maxReplicas))
        assert(most <= Number(settings.RATE_LIMIT ?? 10), `${most} requests could be admitted`)
      })

      test('satisfy Pod Security "restricted", with a read-only root, no API token, and limits', () => {
        assert.equal(all('Namespace')[0]?.metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted')
        for (const { spec } of pods) {
          const { runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext
          assert.deepEqual([runAsNonRoot, runAsUser > 0, seccompProfile.type], [true, true, 'RuntimeDefault'])
          assert(!spec.hostNetwork && !spec.hostPID && !spec.hostIPC)
          assert.deepEqual([spec.automountServiceAccountToken, spec.enableServiceLinks], [false, false])
          for (const { name: _, ...source } of spec.volumes ?? [])
            assert.match(Object.keys(source).join(), /^(?:configMap|emptyDir|persistentVolumeClaim|secret)$/)
          const containers = [...(spec.initContainers ?? []), ...spec.containers]
          for (const { securityContext, resources, ports = [] } of containers) {
            assert.deepEqual(securityContext, hardened)
            for (const kind of ['requests', 'limits'])
              assert.deepEqual(Object.keys(resources[kind]).sort(), ['cpu', 'ephemeral-storage', 'memory'])
            assert(ports.every(({ hostPort }: Manifest) => hostPort === undefined))
          }
        }
      })

      test('probe the ops port, and replace replicas without losing capacity, spread over zones and nodes', () => {
        const { startupProbe, livenessProbe, readinessProbe } = container
        assert.deepEqual(startupProbe.httpGet, { path: '/livez', port: 'ops' })
        assert.deepEqual(livenessProbe.httpGet, { path: '/livez', port: 'ops' })
        assert.deepEqual(readinessProbe.httpGet, { path: '/readyz', port: 'ops' })
        assert(startupProbe.periodSeconds * startupProbe.failureThreshold >= 60, 'a start may take a minute')
        // docs/specification.md §10: the process exits within 25 seconds of SIGTERM, including the drain.
        assert(api.template.spec.terminationGracePeriodSeconds >= 25 + 5)
        assert.deepEqual(api.strategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
        const spread = (topologyKey: string) => ({
          ...{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' },
          ...{ labelSelector: api.selector, matchLabelKeys: ['pod-template-hash'] },
        })
        const keys = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']
        assert.deepEqual(api.template.spec.topologySpreadConstraints, keys.map(spread))
      })

      test('migrate once with the image of this version, without retrying after invalid settings', () => {
        const [job] = all('Job')
        const { containers, restartPolicy } = job?.spec.template.spec ?? {}
        assert.deepEqual([containers[0].image, containers[0].command], [container.image, ['node', 'dist/migrate.js']])
        assert.equal(restartPolicy, 'Never')
        const rule = { containerName: containers[0].name, operator: 'In', values: [78] }
        assert.deepEqual(job?.spec.podFailurePolicy.rules, [{ action: 'FailJob', onExitCodes: rule }])
        if (name === 'dev') return
        assert.match(container.image, new RegExp(`:${version}$`))
        assert.equal(job?.metadata.name, `lead-intake-migration-${version.replaceAll('.', '-')}`, 'Jobs are immutable')
        const hook = job?.metadata.annotations?.['argocd.argoproj.io/hook']
        assert.equal(hook, 'Sync', 'Argo CD would miss a Job that is deleted after a day')
      })

      test('contain secrets only by reference, as files, and restart the pods when a setting changes', () => {
        assert.equal(all('Secret').length, name === 'dev' ? 3 : 0)
        for (const { env = [], envFrom = [] } of pods.flatMap(({ spec }) => spec.containers)) {
          assert(envFrom.every(({ secretRef }: Manifest) => secretRef === undefined))
          for (const { name: variable } of env)
            if (/URL|PASSWORD|SECRET|KEY/.test(variable)) assert.match(variable, /_FILE$/)
        }
        for (const [key, value] of all('ConfigMap').flatMap(({ data }) => Object.entries<string>(data))) {
          assert.doesNotMatch(value, /:\/\/[^/\s"]*@/, `${key} holds a URL with a password`)
          if (/PASSWORD|SECRET|DATABASE_URL|REDIS_URL/.test(key)) assert.match(key, /_FILE$/)
        }
        assert(all('ConfigMap').some(({ metadata }) => /^lead-intake-settings-[a-z0-9]{10}$/.test(metadata.name)))
      })

      test('deny every connection by default and allow exactly those in the diagram', () => {
        const overlay = renderOverlay(name)
        const deny = overlay.one('NetworkPolicy', 'default-deny').spec
        assert.deepEqual(deny, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
        assert.deepEqual(arrows(overlay), drawnArrows[name].toSorted())
      })

      test('have known and valid settings, which production completes with the business', () => {
        const secrets = container.volumeMounts.find((volume: Manifest) => volume.name === 'secrets')
        assert.equal(secrets.mountPath, '/run/secrets/lead-intake')
        const isDev = name === 'dev'
        const encoded = Object.entries<string>(all('Secret').find(({ data }) => data.REDIS_URL)?.data ?? {})
        const decoded = encoded.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
        const secret = isDev ? Object.fromEntries(decoded) : operatorsSecret
        const lacksBusiness = (error: unknown) => {
          const faults = error instanceof ConfigError ? error.faults : []
          return faults.map((fault) => fault.split(':')[0]).join() === Object.keys(realBusiness).join()
        }
        if (!isDev) assert.throws(() => configOf(settings, secret), lacksBusiness)
        const config = configOf(isDev ? settings : { ...settings, ...realBusiness }, secret)
        for (const key of Object.keys(settings)) assert(key in table || key.replace(/_FILE$/, '') in table, key)
        assert.match(config.databaseUrl, /^postgres:/)
        assert.deepEqual([config.redis?.kind, config.internal.host], ['single', '::'])
        assert.equal(config.internal.tls === undefined, isDev, 'production demands certificates')
        assert.equal(config.acceptTestLeads, isDev)
        assert.equal('TRUSTED_PROXIES' in settings, !isDev, 'production trusts its proxies')
      })
    })
  }

  test('lead the domain in BASE_URL to the public port only, by a Gateway or an Ingress', () => {
    const { settings, all } = renderOverlay('production')
    const [route, ...others] = all('HTTPRoute')
    assert.deepEqual([others, route?.spec.hostnames], [[], [new URL(settings.BASE_URL ?? '').hostname]])
    const backends = route?.spec.rules.flatMap(({ backendRefs }: Manifest) => backendRefs)
    assert.deepEqual(backends, [{ name: 'lead-intake', port: 80 }])
    const [{ metadata, spec }] = gateway as [Manifest]
    const parent = { name: metadata.name, namespace: metadata.namespace, sectionName: spec.listeners[1].name }
    assert.deepEqual(route?.spec.parentRefs, [parent])
    const [ingress] = renderOverlay('private').all('Ingress')
    const [rule] = ingress?.spec.rules ?? []
    assert.deepEqual([ingress?.spec.tls[0].hosts, rule.host], [['api.example.org'], 'api.example.org'])
    assert.deepEqual(rule.http.paths[0].backend.service, { name: 'lead-intake', port: { name: 'public' } })
  })
})
