import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { getContainerRuntimeClient } from 'testcontainers'
import { stringify } from 'yaml'
import { skipWithout } from '../support/tools.ts'
import {
  isSelected,
  type Labels,
  type Manifest,
  type Overlay,
  type PodSpec,
  type Service,
  type Volume,
  type Workload,
} from './overlay.ts'

const nginxImage = process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm'

/** For a test's `skip`: podman, run as root, replaces a cluster. */
export const skipWithoutPodman: string | false = skipWithout('podman')

function podman(args: string[], input?: string): string {
  return execFileSync('podman', args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] }).trim()
}

/** Copies an image from the engine to podman, unless podman already has it. */
async function give(image: string): Promise<void> {
  const { dockerode } = (await getContainerRuntimeClient()).container
  const wanted = dockerode.getImage(image)
  const id = (await wanted.inspect()).Id.replace('sha256:', '')
  try {
    if (podman(['image', 'inspect', '-f', '{{.Id}}', image]) === id) return
  } catch {
    // It has no image of that name.
  }
  const load = spawn('podman', ['load', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = new Promise((resolve) => load.once('exit', resolve))
  await pipeline(await wanted.get(), load.stdin)
  if ((await ended) !== 0) throw new Error(`podman did not take ${image}`)
}

/** A pod that podman 4.3 can play, and what a Service needs to know about it. */
interface PlayedPod {
  name: string
  ip: string
  labels: Labels
  ports: Record<string, number>
  spec: PodSpec
}

export interface Played {
  /** The address of a Service's port, such as `127.0.0.1:40123`. */
  address(service: string, port: number): string
  /** The pods of a workload, by name. */
  podsOf(workload: string): string[]
  /** The exit code of a pod's only container. Undefined while it runs. */
  exitCode(pod: string): number | undefined
  logs(pod: string): string
  /** What a command prints in a pod's only container. Throws if it fails. */
  run(pod: string, ...command: string[]): string
  down(): void
}

/**
 * Plays an overlay's workloads as real containers. Emulates what podman 4.3 lacks: a kubelet's volumes (directories
 * here), a Job's retries, an autoscaler's minimum, and the Services (a TCP load balancer each, whose name every pod knows
 * from its start). Ignores what containers cannot show: policies, budgets, probes.
 */
export async function play(overlay: Overlay, images: Record<string, string>): Promise<Played> {
  const network = `lead-intake-${process.pid}`
  const directory = mkdtempSync(join(tmpdir(), `${network}-`))
  for (const image of [...Object.values(images), nginxImage]) await give(image)

  // Without podman's DNS server, which stops answering for up to a minute while containers are added.
  podman(['network', 'create', '--disable-dns', network])
  const subnet = podman(['network', 'inspect', '-f', '{{range .Subnets}}{{.Subnet}}{{end}}', network])
  const address = (host: number) => subnet.replace(/0\/24$/, String(host))

  const [autoscaler] = overlay.all<Manifest & { spec: { minReplicas: number } }>('HorizontalPodAutoscaler')
  const replicas = ({ kind, metadata, spec }: Workload) =>
    spec.replicas ??
    (kind === 'Deployment' && metadata.name === 'lead-intake' ? (autoscaler?.spec.minReplicas ?? 1) : 1)
  const podsOf = (workload: Workload) =>
    Array.from({ length: replicas(workload) }, (_, index) => `${workload.metadata.name}-${index}`)

  const services = overlay.all<Service>('Service').map((service, index) => ({ ...service, ip: address(100 + index) }))
  const hostAliases = services.map(({ ip, metadata }) => ({ ip, hostnames: [metadata.name] }))

  const pods: PlayedPod[] = overlay.pods
    .flatMap(({ workload, labels, spec }) =>
      podsOf(workload).map((name) => ({
        name,
        labels,
        ports: Object.fromEntries(
          spec.containers.flatMap(({ ports = [] }) => ports.map((port) => [port.name, port.containerPort])),
        ),
        spec: playable(name, workload),
      })),
    )
    .map((pod, index) => ({ ...pod, ip: address(10 + index) }))

  function playable(pod: string, { kind, spec: { template, volumeClaimTemplates = [] } }: Workload): PodSpec {
    const claimed = volumeClaimTemplates.map(({ metadata }): Volume => ({ name: metadata.name, emptyDir: {} }))
    return {
      ...template.spec,
      hostAliases,
      // A Job retries with new pods, up to its backoffLimit. Here, the same pod retries.
      restartPolicy: kind === 'Job' ? 'OnFailure' : 'Always',
      containers: template.spec.containers.map((container) => {
        const { ports: _, startupProbe: __, livenessProbe: ___, readinessProbe: ____, ...rest } = container
        return { ...rest, image: images[container.image] ?? container.image, imagePullPolicy: 'Never' }
      }),
      volumes: [...(template.spec.volumes ?? []), ...claimed].map((volume) => ({
        name: volume.name,
        hostPath: { path: fill(pod, volume), type: 'Directory' },
      })),
    }
  }

  /** Creates the directory that a kubelet would mount. */
  function fill(pod: string, { name, secret }: Volume): string {
    const path = join(directory, pod, name)
    mkdirSync(path, { recursive: true })
    if (!secret) {
      chmodSync(path, 0o777)
      return path
    }
    const { data } = overlay.one<Manifest & { data: Labels }>('Secret', secret.secretName)
    const items = secret.items ?? Object.keys(data).map((key) => ({ key, path: key }))
    for (const item of items) writeFileSync(join(path, item.path), Buffer.from(data[item.key] ?? '', 'base64'))
    return path
  }

  /** Podman's name for a pod's only container. */
  const containerOf = (pod: string) => `${pod}-${pods.find(({ name }) => name === pod)?.spec.containers[0]?.name}`

  const documents = [
    ...overlay.all('ConfigMap'),
    ...pods.map(({ name, labels, spec }) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec })),
  ]
  const manifest = documents.map((document) => stringify(document, { aliasDuplicateObjects: false })).join('---\n')

  /** Starts the load balancer that replaces a Service. */
  function serve({ metadata, spec, ip }: Service & { ip: string }): void {
    const chosen = pods.filter(({ labels }) => isSelected(spec.selector, labels))
    const blocks = spec.ports.map(({ name, port, targetPort }) => {
      const servers = chosen.map((pod) => `server ${pod.ip}:${pod.ports[targetPort] ?? targetPort};`)
      return `upstream ${name} { ${servers.join(' ')} }\n  server { listen ${port}; proxy_pass ${name}; }`
    })
    const file = join(directory, `${metadata.name}.conf`)
    writeFileSync(
      file,
      `include /etc/nginx/modules-enabled/*.conf;\nevents {}\nstream {\n  ${blocks.join('\n  ')}\n}\n`,
    )
    const published = spec.ports.flatMap(({ port }) => ['-p', `127.0.0.1::${port}`])
    const named = ['--name', `${network}-${metadata.name}`, '--network', network, '--ip', ip]
    podman(['run', '-d', ...named, ...published, '-v', `${file}:/etc/nginx/nginx.conf:ro`, nginxImage])
  }

  function down(): void {
    const removals = [
      ...services.map(({ metadata }) => ['rm', '-f', '-v', '-t', '0', `${network}-${metadata.name}`]),
      ...pods.map(({ name }) => ['pod', 'rm', '-f', '-t', '0', name]),
      ['network', 'rm', network],
    ]
    const isLeft = (removal: string[]) => {
      try {
        podman(removal)
        return false
      } catch {
        return true
      }
    }
    // Once more, for containers that podman was just restarting, and for what they held.
    removals.filter(isLeft).filter(isLeft)
    rmSync(directory, { recursive: true, force: true })
  }

  try {
    podman(['kube', 'play', '--network', network, ...pods.flatMap(({ ip }) => ['--ip', ip]), '-'], manifest)
    services.forEach(serve)
  } catch (error) {
    down()
    throw error
  }
  return {
    address: (service, port) => podman(['port', `${network}-${service}`, `${port}/tcp`]),
    podsOf: (name) => overlay.pods.flatMap(({ workload }) => (workload.metadata.name === name ? podsOf(workload) : [])),
    exitCode(pod) {
      const [status, code] = podman(['inspect', '-f', '{{.State.Status}} {{.State.ExitCode}}', containerOf(pod)]).split(
        ' ',
      )
      return status === 'exited' ? Number(code) : undefined
    },
    logs(pod) {
      const { stdout, stderr } = spawnSync('podman', ['logs', containerOf(pod)], { encoding: 'utf8' })
      return stdout + stderr
    },
    run: (pod, ...command) => podman(['exec', containerOf(pod), ...command]),
    down,
  }
}
