import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { skipWithout } from '../support/tools.ts'

export const projectRoot = join(import.meta.dirname, '../..')
const k8s = join(projectRoot, 'k8s')

/** The overlays that operators apply. `private` is a user's own, with all options. */
export const overlayNames = ['dev', 'production', 'private'] as const
export type OverlayName = (typeof overlayNames)[number]

export type Labels = Record<string, string>

/** Any object of an overlay. Its other members depend on its kind; the schema test checks them. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels: Labels }
}

export interface Probe {
  httpGet?: { path: string; port: string | number }
  exec?: { command: string[] }
  tcpSocket?: { port: string | number }
  periodSeconds?: number
  failureThreshold?: number
}

export interface Container {
  name: string
  image: string
  imagePullPolicy?: string
  command?: string[]
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: unknown }[]
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[]
  ports?: { name: string; containerPort: number; hostPort?: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  resources: Record<'requests' | 'limits', Record<string, string>>
  securityContext: {
    allowPrivilegeEscalation?: boolean
    privileged?: boolean
    readOnlyRootFilesystem?: boolean
    capabilities?: { drop?: string[]; add?: string[] }
  }
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[]
}

export interface Volume {
  name: string
  emptyDir?: object
  secret?: { secretName: string; items?: { key: string; path: string }[] }
  hostPath?: { path: string; type: string }
}

export interface PodSpec {
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
  restartPolicy?: string
  serviceAccountName?: string
  automountServiceAccountToken?: boolean
  enableServiceLinks?: boolean
  terminationGracePeriodSeconds?: number
  hostNetwork?: boolean
  hostAliases?: { ip: string; hostnames: string[] }[]
  hostPID?: boolean
  hostIPC?: boolean
  securityContext: {
    runAsNonRoot?: boolean
    runAsUser?: number
    fsGroup?: number
    seccompProfile?: { type: string }
  }
  topologySpreadConstraints?: {
    maxSkew: number
    topologyKey: string
    whenUnsatisfiable: string
    labelSelector: { matchLabels: Labels }
    matchLabelKeys: string[]
  }[]
}

interface PodTemplate {
  metadata: { labels: Labels }
  spec: PodSpec
}

export interface Workload extends Manifest {
  spec: {
    replicas?: number
    selector?: { matchLabels: Labels }
    serviceName?: string
    strategy?: { type: string; rollingUpdate?: { maxUnavailable: number; maxSurge: number } }
    template: PodTemplate
    /** A CronJob's, in place of the template. */
    jobTemplate?: { spec: { template: PodTemplate } }
    volumeClaimTemplates?: { metadata: { name: string } }[]
    podFailurePolicy?: { rules: { action: string; onExitCodes: { containerName: string; values: number[] } }[] }
    ttlSecondsAfterFinished?: number
  }
}

/** The pods that a workload creates. */
export interface Pods {
  workload: Workload
  labels: Labels
  spec: PodSpec
}

export interface Service extends Manifest {
  spec: {
    type?: string
    clusterIP?: string
    selector: Labels
    ports: { name: string; port: number; targetPort: string | number; appProtocol?: string }[]
  }
}

/** An overlay as the cluster receives it. */
export interface Overlay {
  name: string
  objects: readonly Manifest[]
  pods: readonly Pods[]
  /** All objects of a kind. */
  all<T extends Manifest>(kind: string): T[]
  /** The only object of a kind with this name. Throws when there is none. */
  one<T extends Manifest>(kind: string, name: string): T
}

/** For a test's `skip`: rendering overlays needs kubectl 1.27 or newer. */
export const skipWithoutKubectl: string | false = skipWithout('kubectl')

/** Renders an overlay with kubectl's built-in kustomize, offline. */
export function renderOverlay(name: OverlayName): Overlay {
  return name === 'private' ? renderPrivate() : render(join(k8s, 'overlays', name), name)
}

/**
 * A copy of the production overlay, made as docs/kubernetes.md says: this project, in a repository of Git, is its remote base.
 * With an Ingress in place of the Gateway, and every optional component.
 */
function renderPrivate(): Overlay {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-k8s-'))
  try {
    const cwd = join(folder, 'lead-intake')
    cpSync(k8s, join(cwd, 'k8s'), { recursive: true })
    const [, commands = ''] =
      /```sh\nREPOSITORY=.*\n([^`]+)```/.exec(readFileSync(join(projectRoot, 'docs/kubernetes.md'), 'utf8')) ?? []
    const commit = 'git init -q && git add . && git -c user.name=test -c user.email=test@example.com commit -qm test'
    execFileSync('bash', ['-euc', `${commit}\nREPOSITORY=file://${cwd}\n${commands}`], { cwd })
    const file = join(folder, 'lead-intake-production/kustomization.yaml')
    const text = readFileSync(file, 'utf8')
      .replace('components/gateway', 'components/ingress')
      .replaceAll(/^( *)# ( *(?:- |patch))/gm, '$1$2')
    writeFileSync(file, text.replaceAll(/^( *)- BUSINESS.*\n/gm, ''))
    return render(join(folder, 'lead-intake-production'), 'private')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Renders any folder with a kustomization. */
export function render(folder: string, name: string): Overlay {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest)
  const all = <T extends Manifest>(kind: string) => objects.filter((object) => object.kind === kind) as T[]
  const workloads = ['Deployment', 'StatefulSet', 'Job', 'CronJob'].flatMap((kind) => all<Workload>(kind))
  return {
    name,
    objects,
    pods: workloads.map((workload) => {
      const { metadata, spec } = workload.spec.jobTemplate?.spec.template ?? workload.spec.template
      return { workload, labels: metadata.labels, spec }
    }),
    all,
    one<T extends Manifest>(kind: string, wanted: string) {
      const found = all<T>(kind).find((object) => object.metadata.name === wanted)
      if (!found) throw new Error(`the overlay ${name} has no ${kind} ${wanted}`)
      return found
    },
  }
}

/** Whether labels match a selector's `matchLabels`. An empty selector matches everything. */
export function isSelected(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}
