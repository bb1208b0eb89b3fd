import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  isSelected,
  type Labels,
  type Manifest,
  type Overlay,
  overlayNames,
  renderOverlay,
  skipWithoutKubectl,
} from './overlay.ts'

interface Peer {
  podSelector?: { matchLabels?: Labels }
  namespaceSelector?: { matchLabels?: Labels }
  ipBlock?: { cidr: string }
}

interface Rule {
  from?: Peer[]
  to?: Peer[]
  ports?: { protocol: string; port: number }[]
}

interface NetworkPolicy extends Manifest {
  spec: { podSelector: { matchLabels?: Labels }; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] }
}

const textOf = (labels: Labels | undefined) =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** The components of the pods that match a selector. */
function components({ pods }: Overlay, selector: Labels = {}): string[] {
  return pods.flatMap(({ labels }) =>
    isSelected(selector, labels) ? String(labels['app.kubernetes.io/component']) : [],
  )
}

function peerNames(overlay: Overlay, { podSelector, namespaceSelector, ipBlock }: Peer): string[] {
  if (ipBlock) return [ipBlock.cidr]
  if (!namespaceSelector) return components(overlay, podSelector?.matchLabels)
  const pods = podSelector ? ` pods ${textOf(podSelector.matchLabels)}` : ''
  return [`namespaces ${textOf(namespaceSelector.matchLabels)}${pods}`]
}

/** Every connection that the policies allow, from the side that allows it, sorted. */
function arrows(overlay: Overlay): string[] {
  const drawn = overlay.all<NetworkPolicy>('NetworkPolicy').flatMap(({ metadata, spec }) => {
    const rules = [...(spec.ingress ?? []), ...(spec.egress ?? [])]
    return components(overlay, spec.podSelector.matchLabels).flatMap((own) =>
      rules.flatMap(({ from, to, ports }) => {
        assert(
          ports?.length && (from ?? to)?.length,
          `${metadata.name} has a rule that allows every port or every peer`,
        )
        const named = (from ?? to ?? []).flatMap((peer) => peerNames(overlay, peer))
        return named.flatMap((peer) =>
          ports.map(({ port, protocol }) =>
            from ? `${own} <- ${peer} ${port}/${protocol}` : `${own} -> ${peer} ${port}/${protocol}`,
          ),
        )
      }),
    )
  })
  return drawn.sort()
}

const nodeLocalDns = '169.254.20.10/32'
const dns = 'namespaces kubernetes.io/metadata.name=kube-system pods k8s-app=kube-dns'

function dnsOf(own: string): string[] {
  return [dns, nodeLocalDns].flatMap((at) => [`${own} -> ${at} 53/UDP`, `${own} -> ${at} 53/TCP`])
}

/** The connections in the diagram of docs/kubernetes.md. */
const callers = [
  'api <- namespaces kubernetes.io/metadata.name=gateway 8080/TCP',
  'api <- namespaces lead-intake/internal-caller=true pods lead-intake/internal-caller=true 9090/TCP',
  'api <- namespaces kubernetes.io/metadata.name=monitoring 9100/TCP',
  ...dnsOf('api'),
  ...dnsOf('migration'),
]

const managed = [
  ...callers,
  'api -> 10.60.0.0/24 5432/TCP',
  'migration -> 10.60.0.0/24 5432/TCP',
  'api -> 10.60.0.0/24 6379/TCP',
]

const drawnArrows = {
  dev: [
    ...callers,
    'api -> store 5432/TCP',
    'migration -> store 5432/TCP',
    'store <- api 5432/TCP',
    'store <- migration 5432/TCP',
    'api -> limiter 6379/TCP',
    'limiter <- api 6379/TCP',
  ],
  production: managed,
  private: [
    ...managed,
    ...dnsOf('backup'),
    'backup -> 10.60.0.0/24 5432/TCP',
    ...dnsOf('consumer'),
    'consumer -> api 9090/TCP',
    'api <- consumer 9090/TCP',
    'consumer -> 0.0.0.0/0 465/TCP',
    'consumer -> 0.0.0.0/0 587/TCP',
  ],
}

describe('the network policies', { skip: skipWithoutKubectl }, () => {
  for (const name of overlayNames) {
    test(`of ${name} deny everything by default and allow exactly the connections in the diagram`, () => {
      const overlay = renderOverlay(name)
      assert.deepEqual(overlay.one<NetworkPolicy>('NetworkPolicy', 'default-deny').spec, {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      })
      assert.deepEqual(arrows(overlay), [...drawnArrows[name]].sort())
    })

    test(`of ${name} state the direction of each rule`, () => {
      for (const { metadata, spec } of renderOverlay(name).all<NetworkPolicy>('NetworkPolicy')) {
        assert.equal(spec.policyTypes.includes('Ingress') || spec.ingress === undefined, true, metadata.name)
        assert.equal(spec.policyTypes.includes('Egress') || spec.egress === undefined, true, metadata.name)
      }
    })

    test(`of ${name} name only ports of containers`, () => {
      const { pods, all } = renderOverlay(name)
      const known = pods.flatMap(({ spec }) =>
        spec.containers.flatMap(({ ports = [] }) => ports.map((p) => p.containerPort)),
      )
      for (const { spec } of all<NetworkPolicy>('NetworkPolicy')) {
        for (const { port } of (spec.ingress ?? []).flatMap(({ ports = [] }) => ports))
          assert(known.includes(port), String(port))
      }
    })
  }
})
