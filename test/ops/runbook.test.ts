import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { parseAllDocuments } from 'yaml'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { get } from '../support/http.ts'
import { root } from '../support/process.ts'
import { startService } from '../support/service.ts'

interface Rule {
  alert?: string
  annotations?: Record<string, string>
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const runbook = read('docs/operations.md')

const rules: Rule[] = globSync('k8s/components/monitoring/*.yaml', { cwd: root })
  .flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS()))
  .filter(({ kind }) => kind === 'PrometheusRule')
  .flatMap(({ spec }) => spec.groups.flatMap((group: { rules: Rule[] }) => group.rules))
const alerts = rules.filter(({ alert }) => alert)

/** The anchor that GitHub and its like give to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

suite('the runbook', () => {
  const sections = new Map(
    runbook
      .slice(runbook.indexOf('## Alerts'))
      .split(/^### /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
  )

  test('has exactly one section per alert: symptom, confirmation, fix', () => {
    assert.deepEqual(
      [...sections.keys()],
      alerts.map(({ alert }) => alert),
    )
    for (const text of sections.values()) {
      const parts = [...text.matchAll(/^\*\*(\w+)\*\*/gm)].map(([, part]) => part)
      assert.deepEqual(parts, ['Symptom', 'Confirm', 'Fix'])
    }
  })

  test('is linked from each alert', () => {
    const anchors = new Set([...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading as string)))
    for (const { alert, annotations } of alerts) {
      const [file, anchor] = (annotations?.runbook ?? '').split('#')
      assert.equal(file, 'docs/operations.md', `${alert}`)
      assert(anchors.has(anchor as string), `${alert}: no heading for #${anchor}`)
    }
  })

  test('names only panels and files that exist', () => {
    const titles = read('k8s/components/monitoring/dashboard.json')
    for (const [, title] of runbook.slice(runbook.indexOf('## Alerts')).matchAll(/"([^"]+)"/g)) {
      assert(titles.includes(`"${title}`), `no panel ${title}`)
    }
    for (const [, path] of runbook.matchAll(/`((?:src|docs|k8s)\/[\w./-]+)`/g)) {
      assert(globSync(path as string, { cwd: root }).length > 0, `no file ${path}`)
    }
  })

  test('lists the Redis permissions that the limiter needs', { skip: skipWithoutEngine }, async () => {
    const rights = /`(\+evalsha [^`]+)`/.exec(runbook)?.[1]
    assert(rights)
    const url = new URL(await redisUrl())
    const admin = new Redis(url.href)
    // Which database is used is part of the test's set-up, not of the service's needs.
    await admin.call('ACL', 'SETUSER', 'runbook', 'reset', 'on', '>of-a-test-only', '+select', ...rights.split(' '))
    try {
      url.username = 'runbook'
      url.password = 'of-a-test-only'
      await using service = await startService({ REDIS_URL: url.href })
      assert.equal((await get(`${service.url}/api/v1`)).json.status, 'operational')
    } finally {
      await admin.call('ACL', 'DELUSER', 'runbook')
      admin.disconnect()
    }
  })
})
