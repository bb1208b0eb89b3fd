import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { newFolder, skipWithout } from '../support/machine.ts'
import { root } from '../support/service.ts'

export const k8s = join(root, 'k8s')

/** The overlays that operators apply. `private` is a user's own, with all options. */
export const overlayNames = ['dev', 'production', 'private'] as const
export type OverlayName = (typeof overlayNames)[number]

export type Labels = Record<string, string>

/** Any object of an overlay. A test compares its members with the types of its API. */
// biome-ignore lint/suspicious/noExplicitAny: every kind has its own members
export type Manifest = Record<string, any>

/** An overlay as the cluster receives it. */
export type Overlay = ReturnType<typeof render>

/** For a test's `skip`: rendering overlays needs kubectl 1.27 or newer. */
export const skipWithoutKubectl: string | false = skipWithout('kubectl')

const rendered = new Map<OverlayName, Overlay>()

/** Renders an overlay with kubectl's built-in kustomize, offline. */
export function renderOverlay(name: OverlayName): Overlay {
  const overlay = rendered.get(name) ?? (name === 'private' ? renderPrivate() : render(join(k8s, 'overlays', name)))
  rendered.set(name, overlay)
  return overlay
}

/** A user's own overlay, made as docs/kubernetes.md says, with an Ingress and every optional component. */
function renderPrivate(): Overlay {
  const folder = newFolder()
  const cwd = join(folder, 'lead-intake')
  cpSync(k8s, join(cwd, 'k8s'), { recursive: true })
  const [, commands = ''] =
    /```sh\nREPOSITORY=.*\n([^`]+)```/.exec(readFileSync(join(root, 'docs/kubernetes.md'), 'utf8')) ?? []
  const commit = 'git init -q && git add . && git -c user.name=test -c user.email=test@example.com commit -qm test'
  execFileSync('bash', ['-euc', `${commit}\nREPOSITORY=file://${cwd}\n${commands}`], { cwd })
  const file = join(folder, 'lead-intake-production/kustomization.yaml')
  const text = readFileSync(file, 'utf8')
    .replace('components/gateway', 'components/ingress')
    .replaceAll(/^( *)# ( *(?:- |patch))/gm, '$1$2')
  writeFileSync(file, text.replaceAll(/^( *)- BUSINESS.*\n/gm, ''))
  return render(join(folder, 'lead-intake-production'))
}

function render(folder: string) {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest)
  /** All objects of a kind. */
  const all = (wanted: string) => objects.filter(({ kind }) => kind === wanted)
  return {
    objects,
    /** The pods that its workloads create. */
    pods: ['Deployment', 'StatefulSet', 'Job', 'CronJob'].flatMap(all).map((workload) => {
      const { metadata, spec }: Manifest = (workload.spec.jobTemplate ?? workload).spec.template
      return { workload, labels: metadata.labels as Labels, spec: spec as Manifest }
    }),
    all,
    /** The only object of a kind with this name. */
    one(kind: string, name: string): Manifest {
      const found = all(kind).find(({ metadata }) => metadata.name === name)
      if (!found) throw new Error(`${folder} has no ${kind} ${name}`)
      return found
    },
    /** The settings of the service. */
    settings: (all('ConfigMap').find(({ data }) => data.REPLICAS)?.data ?? {}) as Labels,
  }
}

/** Whether labels match a selector's `matchLabels`. An empty selector matches everything. */
export function isSelected(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}
