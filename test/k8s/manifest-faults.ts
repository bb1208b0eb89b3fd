import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, projectRoot } from './overlay.ts'

/** The folder with the models of an API group. */
function modelPath({ apiVersion }: Manifest): string {
  if (!apiVersion.includes('/')) return `kubernetes-models/${apiVersion}`
  if (apiVersion.startsWith('gateway.networking.k8s.io/')) return `@kubernetes-models/gateway-api/${apiVersion}`
  if (apiVersion.startsWith('cert-manager.io/')) return `@kubernetes-models/cert-manager/${apiVersion}`
  if (apiVersion.startsWith('monitoring.coreos.com/')) return `@kubernetes-models/prometheus-operator/${apiVersion}`
  return `kubernetes-models/${apiVersion}`
}

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`

/** Kustomize folds long base64 text. The API accepts that, but the schema's format does not. */
function unfolded(object: Manifest): Manifest {
  const { data } = object as { data?: Record<string, string> }
  if (object.kind !== 'Secret' || !data) return object
  const entries = Object.entries(data).map(([key, value]) => [key, value.replaceAll(/\s/g, '')])
  return { ...object, data: Object.fromEntries(entries) } as Manifest
}

/** What the API's JSON Schemas find: missing members, and wrong types or values. One line per fault. */
export async function schemaFaults(objects: readonly Manifest[]): Promise<string[]> {
  const faults: string[] = []
  for (const object of objects) {
    const models = await import(modelPath(object))
    const Model = models[object.kind]
    if (!Model) {
      faults.push(`${nameOf(object)}: ${object.apiVersion} has no such kind`)
      continue
    }
    try {
      new Model(unfolded(object)).validate()
    } catch (error) {
      faults.push(`${nameOf(object)}: ${(error as Error).message}`)
    }
  }
  return faults
}

/** What the API's types find beyond the schemas: unknown fields. One line per fault. */
export function typeFaults(objects: readonly Manifest[]): string[] {
  // Two lines per object, so that a fault's line number identifies its object.
  const source = objects.map(
    (object, index) =>
      `import type { I${object.kind} as T${index} } from '${modelPath(object)}'\n` +
      `export const o${index}: T${index} = ${JSON.stringify(object)}\n`,
  )
  const parent = join(projectRoot, 'node_modules/.manifests')
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, 'check-'))
  try {
    const file = join(directory, 'manifests.mts')
    writeFileSync(file, source.join(''))
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false', '--types', '']
    const run = spawnSync(
      process.execPath,
      [
        join(projectRoot, 'node_modules/typescript/bin/tsc'),
        ...options,
        '--target',
        'esnext',
        '--module',
        'nodenext',
        file,
      ],
      { encoding: 'utf8', cwd: directory },
    )
    const lines = run.stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '))
    if (run.status !== 0 && lines.length === 0) lines.push(run.stderr || `tsc ended with ${run.status}`)
    return lines.map((line) => {
      const [, number, message] = /\((\d+),\d+\): error TS\d+: (.*)/.exec(line) ?? []
      const object = objects[Math.floor((Number(number) - 1) / 2)]
      return object ? `${nameOf(object)}: ${message}` : line
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
