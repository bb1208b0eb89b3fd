import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { getContainerRuntimeClient } from 'testcontainers'
import { stringify } from 'yaml'
import { postgresImage, redisImage, skipWithoutEngine } from '../support/backends.ts'
import { buildServiceImage } from '../support/container.ts'
import { get, post } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { until } from '../support/until.ts'
import { type Manifest, type Overlay, renderOverlay, skipWithoutKubectl } from './overlay.ts'

const podman = (args: string[], input?: string) =>
  execFileSync('podman', args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] }).trim()

/** Copies an image from the engine to podman. */
async function give(image: string): Promise<void> {
  const { dockerode } = (await getContainerRuntimeClient()).container
  const load = spawn('podman', ['load', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(load, 'exit')
  await pipeline(await dockerode.getImage(image).get(), load.stdin)
  assert.deepEqual(await ended, [0, null], image)
}

/** The overlay's workloads as podman 4.3 can play them: volumes are directories, and Services are addresses of pods. */
function podsOf({ pods, all }: Overlay, images: Record<string, string>, subnet: string, folder: string) {
  const ipOf = (index: number) => subnet.replace(/0\/\d+$/, `${10 + index}`)
  const hostAliases = pods.map(({ workload }, index) => ({ ip: ipOf(index), hostnames: [workload.metadata.name] }))
  return pods.map(({ workload, labels, spec }, index) => {
    const { name } = workload.metadata
    const claims = (workload.spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata)
    const volumes = [...(spec.volumes ?? []), ...claims].map((volume) => {
      const path = join(folder, name, volume.name)
      mkdirSync(path, { recursive: true })
      chmodSync(path, 0o777)
      const secret = all('Secret').find(({ metadata }) => metadata.name === volume.secret?.secretName)
      for (const [key, value] of Object.entries<string>(secret?.data ?? {}))
        writeFileSync(join(path, key), Buffer.from(value, 'base64'))
      return { name: volume.name, hostPath: { path, type: 'Directory' } }
    })
    const { ports: _, startupProbe: __, livenessProbe: ___, readinessProbe: ____, ...container } = spec.containers[0]
    const containers = [{ ...container, image: images[container.image], imagePullPolicy: 'Never' }]
    const restartPolicy = workload.kind === 'Job' ? 'OnFailure' : 'Always'
    const pod = { ...spec, hostAliases, restartPolicy, containers, volumes }
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: pod }
    return { name, ip: ipOf(index), container: `${name}-${container.name}`, manifest }
  })
}

const skip = skipWithoutKubectl || skipWithout('podman') || skipWithoutEngine

test('the dev overlay migrates the schema, reaches PostgreSQL and the shared limiter, stores a lead, and serves RPC separately', {
  skip,
}, async (t) => {
  const overlay = renderOverlay('dev')
  const imageOf = (kind: string, name: string) => overlay.one(kind, name).spec.template.spec.containers[0].image
  const images = {
    [imageOf('Deployment', 'lead-intake')]: await buildServiceImage(),
    [imageOf('Deployment', 'redis')]: redisImage,
    [imageOf('StatefulSet', 'postgres')]: postgresImage,
  }
  for (const image of Object.values(images)) await give(image)
  // Without podman's DNS server, which stops answering for up to a minute while containers are added.
  const network = `lead-intake-${process.pid}`
  podman(['network', 'create', '--disable-dns', network])
  const subnet = podman(['network', 'inspect', '-f', '{{range .Subnets}}{{.Subnet}}{{end}}', network])
  const pods = podsOf(overlay, images, subnet, newFolder())
  t.after(() => {
    spawnSync('podman', ['pod', 'rm', '-f', '-t', '0', ...pods.map(({ name }) => name)])
    spawnSync('podman', ['network', 'rm', '-f', network])
  })
  const pod = (name: string) => pods.find((one) => one.name.startsWith(name)) ?? assert.fail(name)
  const documents = [...overlay.all('ConfigMap'), ...pods.map(({ manifest }) => manifest)]
  const text = documents.map((document) => stringify(document, { aliasDuplicateObjects: false })).join('---\n')
  podman(['kube', 'play', '--network', network, ...pods.flatMap(({ ip }) => ['--ip', ip]), '-'], text)

  /** Waits for a condition. Fails with the last lines of the service. */
  const eventually = (what: string, holds: () => Promise<boolean> | boolean) =>
    until(what, holds, { withinMs: 120_000, everyMs: 250 }).catch((cause) => {
      const { stdout, stderr } = spawnSync('podman', ['logs', pod('lead-intake').container], { encoding: 'utf8' })
      throw new Error(`${stdout}${stderr}`.slice(-4_000), { cause })
    })
  const exit = ['inspect', '-f', '{{.State.Status}} {{.State.ExitCode}}', pod('lead-intake-migration').container]
  await eventually('the migration succeeds', () => podman(exit) === 'exited 0')
  const { ip, container } = pod('lead-intake')
  const ready = ['exec', container, 'node', 'healthcheck.js', '/readyz']
  await eventually('it is ready', () => podman(ready) === 'ok')
  const api = `http://${ip}:8080`
  await eventually('Redis counts', async () => (await get(`${api}/api/v1`)).json.status === 'operational')
  assert.equal((await post(api)).status, 201)
  const path = '/grpc.health.v1.Health/Check'
  assert.equal((await post(`http://${ip}:9090`, {}, { path })).json.status, 'SERVING')
  assert.equal((await post(api, {}, { path })).status, 404)
})
