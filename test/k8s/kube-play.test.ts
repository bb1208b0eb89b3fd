import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildServiceImage } from '../image/service-image.ts'
import { postgresImage, redisImage, skipWithoutEngine } from '../support/backends.ts'
import { get, post } from '../support/http.ts'
import { quote } from '../support/submissions.ts'
import { type Played, play, skipWithoutPodman } from './kube-play.ts'
import { renderOverlay, skipWithoutKubectl, type Workload } from './overlay.ts'

const skip = skipWithoutKubectl || skipWithoutPodman || skipWithoutEngine

describe('the dev overlay, run as real containers', { skip }, () => {
  let played: Played
  let api: string

  before(async () => {
    const overlay = renderOverlay('dev')
    const imageOf = (kind: string, name: string) =>
      overlay.one<Workload>(kind, name).spec.template.spec.containers[0]?.image ?? ''
    played = await play(overlay, {
      [imageOf('Deployment', 'lead-intake')]: await buildServiceImage(),
      [imageOf('Deployment', 'redis')]: redisImage,
      [imageOf('StatefulSet', 'postgres')]: postgresImage,
    })
    api = `http://${played.address('lead-intake', 80)}`
  })
  after(() => played?.down())

  const replicas = () => played.podsOf('lead-intake')
  const logs = () => replicas().map(played.logs).join('\n').slice(-4_000)

  /** Waits for a condition. Fails after two minutes, with the last lines of every replica. */
  async function until(holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 120_000
    while (!(await holds().catch(() => false))) {
      if (Date.now() > deadline) assert.fail(logs())
      await sleep(250)
    }
  }

  /** Whether a replica can store and count: `/readyz` says `ok` and nothing else. The fake Services do not wait for it. */
  const isReady = (pod: string) => played.run(pod, 'node', 'healthcheck.js', '/readyz') === 'ok'

  test('starts: the migration succeeds, and every replica reaches PostgreSQL and the shared limiter', async () => {
    const [migration = ''] = renderOverlay('dev')
      .all('Job')
      .flatMap(({ metadata }) => played.podsOf(metadata.name))
    await until(async () => played.exitCode(migration) === 0)
    assert.match(played.logs(migration), /schema is up to date/)
    assert.equal(replicas().length, 2)
    for (const pod of replicas()) await until(async () => isReady(pod))
    await until(async () => (await get(`${api}/api/v1`)).json.status === 'operational')
  })

  test('stores one lead whichever replicas are called, and counts all requests against one limit', async () => {
    // The fake Service's load balancer hides the callers' addresses, so all of this is one client.
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(api, quote)))
    const withStatus = (status: number) => answers.filter((answer) => answer.status === status).length
    assert.equal(withStatus(201), 1)
    // On a busy machine, a replica whose Redis is slow for a moment limits on its own: more strictly, never less.
    assert(withStatus(429) >= 2, 'two replicas that counted apart would have admitted all twelve')
    assert.equal(withStatus(200), 12 - 1 - withStatus(429), `${answers.map(({ status }) => status)}\n${logs()}`)
    const ids = new Set(answers.flatMap(({ status, json }) => (status === 429 ? [] : [json.id])))
    assert.equal(ids.size, 1)
  })

  test('serves RPC on its own Service, and not on the public one', async () => {
    const internal = `http://${played.address('lead-intake-internal', 9090)}`
    const health = '/grpc.health.v1.Health/Check'
    // There is no kubelet to restart it: a replica that started before its database checks again every two seconds.
    await until(async () => (await post(internal, {}, { path: health })).json.status === 'SERVING')
    assert.equal((await post(api, {}, { path: health })).status, 404)
  })
})
