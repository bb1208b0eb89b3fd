import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { memoryOf, root, run, runService, untilPrinted } from '../support/process.ts'
import { serviceEnv } from '../support/service.ts'
import { skipWithout } from '../support/tools.ts'
import { until } from '../support/until.ts'

suite('starting', () => {
  test('a bad configuration exits with code 78 and names every bad variable', async () => {
    const service = await run(['node', 'src/main.ts'], {
      RATE_LIMIT: '1O',
      BASE_URL: 'nowhere',
      DATABASE_URL: 'mysql://u:canary@h/d',
    })
    try {
      assert.equal(await service.exited, 78)
      assert.match(service.output(), /RATE_LIMIT: expected a whole number/)
      assert.match(service.output(), /BASE_URL: expected an origin/)
      assert.match(service.output(), /DATABASE_URL: expected "sqlite:PATH"/)
      assert(!service.output().includes('canary'))
    } finally {
      await service.dispose()
    }
  })

  test('an uncaught error ends the process, and logs its place without its message', async () => {
    const fault = `process.once('SIGUSR2', () => { throw new TypeError(['a', 'canary'].join('-')) })`
    const service = await runService({}, ['node', '--import', `data:text/javascript,${fault}`, 'src/main.ts'])
    try {
      service.signal('SIGUSR2')
      assert.equal(await service.exited, 1)
      assert.match(service.output(), /"type":"TypeError","stack":\["at .*"msg":"unexpected error, exiting"/)
      assert(!service.output().includes('a-canary'))
    } finally {
      await service.dispose()
    }
  })

  test('npm start prints the addresses, and a curl command that creates a lead', async () => {
    const service = await runService({ TEST_LEADS: '' }, ['npm', 'start'])
    try {
      await untilPrinted(service, 'Documentation')
      const output = service.output()
      for (const text of [
        service.url.replace('127.0.0.1', 'localhost'),
        service.internalUrl,
        '/readyz',
        'leads.db',
        '10 submissions per 60 seconds',
        'test data is accepted',
      ]) {
        assert(output.includes(text), `${text} in ${output}`)
      }
      const curl =
        /^ {2}curl [\s\S]*?'\}?'?$/m.exec(output.slice(output.indexOf('  curl')))?.[0] ??
        output.slice(output.indexOf('  curl'))
      const command = curl.split('\n\n')[0] as string
      const answer = execFileSync('sh', ['-c', command.trim()], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/)
      assert.match(answer, /"formType":"quote"/)
      assert(output.includes(`Documentation: ${service.url.replace('127.0.0.1', 'localhost')}/developers`))
      const list = /^ {2}(curl \S+ListLeads .+)$/m.exec(output)?.[1] ?? assert.fail('no command that lists leads')
      assert.match(
        execFileSync('sh', ['-c', list], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
        /Pat Example/,
      )
      const readme = readFileSync(join(root, 'README.md'), 'utf8')
      const shown = readme.slice(readme.indexOf('HTTP/1.1 201'), readme.indexOf('```', readme.indexOf('HTTP/1.1 201')))
      const names = (text: string) => [...text.matchAll(/^[\w-]+(?=: )|"\w+"(?=:)/gm)].map(([name]) => name)
      assert(names(shown).length > 3)
      for (const name of names(shown)) assert(names(answer).includes(name), `the README shows ${name}`)
      service.signal('SIGTERM')
      await service.exited
    } finally {
      await service.dispose()
    }
  })

  for (const when of ['at the start', 'later'])
    test(`SIGTERM ends the process even if its log reader disconnected ${when}`, async () => {
      const place = await serviceEnv()
      const child = spawn('node', ['src/main.ts'], {
        cwd: root,
        env: { ...process.env, ...place.env },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      try {
        if (when === 'later') await once(child.stdout, 'data')
        child.stdout.destroy()
        await until('it answers', async () => (await fetch(`${place.url}/api/v1`)).ok)
        child.kill('SIGTERM')
        assert.deepEqual(await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }), [0, null])
      } finally {
        child.kill('SIGKILL')
        place.dispose()
      }
    })

  test('npm start keeps settings that the caller has set, and stops on Ctrl-C', async () => {
    const service = await runService({ TEST_LEADS: 'reject', DRAIN_SECONDS: '' }, ['npm', 'start'])
    try {
      await untilPrinted(service, 'test data is refused')
      service.signal('SIGINT')
      await service.exited
      assert.match(service.output(), /"msg":"stopped"/)
    } finally {
      await service.dispose()
    }
  })

  test('uses less than 110 MB when idle', { skip: process.platform === 'linux' ? false : 'reads /proc' }, async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    execFileSync('npm', ['run', 'prestart'], { cwd: root, stdio: 'ignore' })
    const service = await runService({}, scripts.start.split(' '))
    try {
      for (const path of ['/', '/openapi.json', '/api-docs']) await fetch(service.url + path)
      assert(memoryOf(service) < 110, `${memoryOf(service)} MiB`)
    } finally {
      await service.dispose()
    }
  })

  test('an old Node prints one line that says so', () => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } }); require('./scripts/require-node.cjs')`
    try {
      execFileSync('node', ['-e', script], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
      assert.fail('it started')
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string }
      assert.equal(status, 1)
      assert.match(stderr.trim(), /^This service needs Node 26, and this is v.*npm ci && npm start.*$/)
      assert.equal(stderr.trim().split('\n').length, 1)
    }
  })

  test('on a terminal, a request is logged as one readable line', {
    skip: process.platform === 'linux' ? skipWithout('script') : 'uses script(1) of Linux',
  }, async () => {
    const command = ['script', '--quiet', '--return', '--command', 'node src/main.ts --local', '/dev/null']
    const service = await runService({}, command)
    try {
      await untilPrinted(service, 'Documentation')
      await fetch(`${service.url}/api/v1`)
      await untilPrinted(service, 'GET /api/v1 200 in ')
      const [line, ...more] = service
        .output()
        .split('\n')
        .filter((text) => text.includes('requestId'))
      assert.match(line ?? '', /GET \/api\/v1 200 in \d+ ms.*requestId/)
      assert.deepEqual(more, [])
    } finally {
      await service.dispose()
    }
  })
})
