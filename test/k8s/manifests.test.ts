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
import { newFolder } from '../support/machine.ts'
import { root } from '../support/service.ts'
import { realBusiness } from '../support/submissions.ts'
import { isSelected, type Labels, type Manifest, overlayNames, renderOverlay, skipWithoutKubectl } from './overlay.ts'

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

describe('the Kubernetes manifests', { skip: skipWithoutKubectl }, () => {
  test('have the members and types of their APIs, and no others', () => {
    const gateway = parseAllDocuments(readFileSync(join(root, 'k8s/components/gateway/gateway.example.yaml'), 'utf8'))
    const examples = gateway.map((one) => one.toJS() as Manifest)
    assert.equal(typeFaults([...examples, ...overlayNames.flatMap((name) => renderOverlay(name).objects)]), '')
  })

  for (const name of overlayNames) {
    describe(`of ${name}`, () => {
      const { objects, pods, all, one, settings } = renderOverlay(name)
      const api = one('Deployment', 'lead-intake').spec
      const chosen = (selector: Labels) => pods.filter(({ labels }) => isSelected(selector, labels))

      test('have selectors and ports that match the pods of one workload', () => {
        for (const { workload, labels } of pods)
          assert(isSelected(workload.spec.selector?.matchLabels ?? {}, labels), workload.metadata.name)
        for (const { metadata, spec } of all('Service')) {
          const [pod, ...others] = chosen(spec.selector)
          assert.deepEqual([others, spec.type ?? 'ClusterIP'], [[], 'ClusterIP'], metadata.name)
          const ports = pod?.spec.containers.flatMap((one: Manifest) => one.ports.map(({ name }: Manifest) => name))
          for (const { targetPort } of spec.ports) assert(ports.includes(targetPort), `${metadata.name}: ${targetPort}`)
        }
        assert.equal(one('Service', 'lead-intake-internal').spec.clusterIP, 'None', 'RPC clients balance by themselves')
      })

      test('refer to ConfigMaps, Secrets and accounts that exist or that the operator creates', () => {
        const made = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
        if (name !== 'dev') for (const secret of operatorsSecrets) made.add(`Secret ${secret}`)
        for (const { spec } of all('Certificate')) made.add(`Secret ${spec.secretName}`)
        for (const { spec } of pods) {
          const secrets = (spec.volumes ?? []).flatMap(({ secret }: Manifest) => secret?.secretName ?? [])
          const sources = spec.containers.flatMap(({ envFrom = [] }: Manifest) => envFrom)
          for (const reference of [
            `ServiceAccount ${spec.serviceAccountName ?? 'lead-intake'}`,
            ...secrets.map((secret: string) => `Secret ${secret}`),
            ...sources.map(({ configMapRef }: Manifest) => `ConfigMap ${configMapRef.name}`),
          ])
            assert(made.has(reference), `${reference} is nowhere`)
        }
      })

      test('keep capacity while replicas are replaced, and the shared limit while Redis is down', () => {
        const { minReplicas, maxReplicas } = all('HorizontalPodAutoscaler')[0]?.spec ?? {}
        assert.deepEqual([Number(settings.REPLICAS), api.replicas], [maxReplicas, undefined])
        assert(minReplicas >= 2, 'a disruption budget of one needs a second replica')
        // A rollout adds a replica. On a laptop, it may admit more than the limit.
        const most = (maxReplicas + (name === 'dev' ? 0 : 1)) * Math.max(1, Math.floor(10 / maxReplicas))
        assert(most <= Number(settings.RATE_LIMIT ?? 10), `${most} requests could be admitted`)
        for (const { metadata } of all('Job')) assert.equal(metadata.annotations['argocd.argoproj.io/hook'], 'Sync')
        const { livenessProbe, readinessProbe: probe } = api.template.spec.containers[0]
        assert.equal(livenessProbe.httpGet.path, '/livez', 'a database that is away restarts nothing')
        assert(probe.periodSeconds * probe.failureThreshold + probe.timeoutSeconds < 15, 'sooner than its Retry-After')
        // docs/specification.md §10: the process exits within 25 seconds of SIGTERM, including the drain.
        assert(api.template.spec.terminationGracePeriodSeconds >= 25 + 5)
      })

      test('satisfy Pod Security "restricted", with a read-only root, no API token, and limits', () => {
        assert.equal(all('Namespace')[0]?.metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted')
        for (const { spec } of pods) {
          const { runAsNonRoot, seccompProfile } = spec.securityContext
          assert.deepEqual([runAsNonRoot, seccompProfile.type], [true, 'RuntimeDefault'])
          assert.equal(spec.automountServiceAccountToken, false)
          for (const { securityContext, resources } of [...(spec.initContainers ?? []), ...spec.containers]) {
            assert.deepEqual(securityContext, hardened)
            assert.deepEqual(Object.keys(resources.limits).sort(), ['cpu', 'ephemeral-storage', 'memory'])
          }
        }
      })

      test('contain secrets only by reference, as files', () => {
        assert.equal(all('Secret').length, name === 'dev' ? 3 : 0)
        const variables = pods.flatMap(({ spec }) => spec.containers.flatMap(({ env = [] }: Manifest) => env))
        const maps = all('ConfigMap').flatMap(({ data }) => Object.entries<string>(data))
        for (const [key, value] of [...maps, ...variables.map((one) => [one.name, one.value ?? ''])]) {
          assert.doesNotMatch(value, /:\/\/[^/\s"]*@/, `${key} holds a URL with a password`)
          if (/PASSWORD|SECRET|DATABASE_URL|REDIS_URL/.test(key)) assert.match(key, /_FILE$/)
        }
      })

      test('deny every connection by default, and allow only named ports, no internet but mail, and what both sides allow', () => {
        const deny = one('NetworkPolicy', 'default-deny').spec
        assert.deepEqual(deny, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
        /** Those between two workloads, by the side that allows it. */
        const allowed = { egress: new Set<string>(), ingress: new Set<string>() }
        for (const { metadata, spec } of all('NetworkPolicy'))
          for (const side of ['egress', 'ingress'] as const)
            for (const { from, to, ports } of spec[side] ?? []) {
              const peers: Manifest[] = from ?? to ?? []
              assert(ports?.length && peers.length, `${metadata.name} has a rule for every port or every peer`)
              for (const { ipBlock, namespaceSelector, podSelector } of peers)
                for (const { port } of ports) {
                  if (/\/0$/.test(ipBlock?.cidr ?? '')) assert([465, 587].includes(port), `${metadata.name}: ${port}`)
                  if (ipBlock || namespaceSelector) continue
                  for (const own of chosen(spec.podSelector.matchLabels ?? {}))
                    for (const peer of chosen(podSelector.matchLabels)) {
                      const ends = [own, peer].map(({ workload }) => workload.metadata.name)
                      allowed[side].add(`${(side === 'egress' ? ends : ends.reverse()).join(' -> ')} ${port}`)
                    }
                }
            }
        assert.deepEqual(allowed.egress, allowed.ingress)
      })

      test('have known and valid settings; in production, only the details of the business are missing', () => {
        const isDev = name === 'dev'
        const encoded = Object.entries<string>(all('Secret').find(({ data }) => data.REDIS_URL)?.data ?? {})
        const decoded = encoded.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
        const secret = isDev ? Object.fromEntries(decoded) : operatorsSecret
        const isMissingBusiness = (error: unknown) => {
          const [, ...faults] = error instanceof ConfigError ? error.message.split('\n  ') : []
          return faults.map((fault) => fault.split(':')[0]).join() === Object.keys(realBusiness).join()
        }
        if (!isDev) assert.throws(() => configOf(settings, secret), isMissingBusiness)
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
})
