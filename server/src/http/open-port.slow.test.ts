import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { readConfig } from '../config/read-config.ts'
import { createLogger } from '../log.ts'
import { createPlatform } from '../platform.ts'
import { ask, requestToken } from '../testing/client.ts'
import { onSqliteFirst } from '../testing/lanes.ts'
import { createTestDatabase } from '../testing/engines.ts'
import { assertError } from '../testing/assert-error.ts'
import { startPlatform } from '../testing/start-platform.ts'
import { createListener } from './listener.ts'
import { openPort } from './open-port.ts'

const clock = Date.now
const logger = createLogger('silent', { write: () => {} })
const plain = { host: '127.0.0.1', port: 0, tls: undefined, clock }

function createReadyApp() {
  const app = createListener(
    { authUrl: 'http://localhost', trustedProxies: [], tls: undefined, clock, logger },
    () => ({}),
  )
  app.get('/readyz', () => 'ready')
  return app
}

describe('the port during startup', () => {
  test('is alive, and not ready, with a reason for operators only', async (t) => {
    const port = await openPort(plain)
    t.after(() => port.close())
    const url = `http://127.0.0.1:${port.port}`
    port.explain('the database is being opened')
    const health = await ask<unknown>(url, '/healthz')
    assert.deepEqual([health.status, health.body], [200, { status: 'ok' }])
    for (const path of ['/readyz', '/servers', '/api/session', '/nowhere']) {
      const { details } = assertError(await ask(url, path), 'ServiceUnavailable')
      const reason = path === '/readyz' ? ': the database is being opened' : ''
      assert.equal(details, `Muster is starting${reason}. Try again shortly.`)
    }
    const sent = await ask(url, '/v3/auth/tokens', { method: 'POST', body: 'x'.repeat(500_000) })
    assertError(sent, 'ServiceUnavailable')
    const own = await ask(url, '/x', { headers: { 'x-request-id': 'mine' } })
    assert.equal(own.headers.get('x-request-id'), 'mine')
  })

  test('uses TLS if Muster is configured for it', async (t) => {
    const read = (name: string) =>
      readFileSync(join(import.meta.dirname, `../testing/fixtures/test-only.${name}.pem`), 'utf8')
    const tls = { cert: read('cert'), key: read('key') }
    const { port, close } = await openPort({ ...plain, tls })
    t.after(close)
    const status = await new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: '/healthz', rejectUnauthorized: false }, (answer) =>
        resolve(answer.statusCode),
      )
        .on('error', reject)
        .end()
    })
    assert.equal(status, 200)
  })

  test('is handed over to the application without refusing a connection', async (t) => {
    const port = await openPort(plain)
    const url = `http://127.0.0.1:${port.port}`
    const app = createReadyApp()
    t.after(() => app.close())
    const statuses = new Set<number>()
    const done = new AbortController()
    const knocking = Array.from({ length: 4 }, async () => {
      while (!done.signal.aborted) statuses.add((await ask(url, '/readyz')).status)
    })
    await eventually('a request gets 503', () => statuses.has(503))
    await port.handOver(app)
    assert.equal((await ask(url, '/readyz')).status, 200)
    done.abort()
    await Promise.all(knocking)
    assert.deepEqual(statuses, new Set([503, 200]))
  })

  test('is closed when a start fails', async () => {
    const port = await openPort(plain)
    await port.close()
    await assert.rejects(ask(`http://127.0.0.1:${port.port}`, '/healthz'))
  })
})

async function findFreePort(): Promise<number> {
  const { port, close } = await openPort(plain)
  await close()
  return port
}

onSqliteFirst('a starting platform', (engine) => {
  const configure = async (t: TestContext, port: number) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-port-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const database = engine === 'postgres' ? [`--database-url=${await createTestDatabase()}`] : []
    const request = readConfig(
      [
        `--port=${port}`,
        `--data-dir=${folder}/data`,
        `--secret-key-file=${folder}/secret.key`,
        ...database,
      ],
      {},
    )
    assert.ok(request.kind === 'run')
    return request.config
  }

  test('responds before it is ready, and is ready when all parts have started', async (t) => {
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const built = Promise.withResolvers<void>()
    const config = await configure(t, port)
    const starting = createPlatform(config, { logger, consoleBuilt: built.promise })
    const isConsoleAwaited = async () => {
      const answer = await ask(url, '/readyz').catch(() => undefined)
      return answer?.body.details === 'Muster is starting: building the console. Try again shortly.'
    }
    await eventually('the console is requested', isConsoleAwaited)
    assert.equal((await ask(url, '/healthz')).status, 200)
    assertError(await ask(url, '/servers'), 'ServiceUnavailable')
    built.resolve()
    const platform = await starting
    t.after(() => platform.close())
    assert.equal(await platform.listen(), url)
    assert.equal((await ask(url, '/readyz')).status, 200)
  })

  test('releases the port when the start is aborted', async (t) => {
    const port = await findFreePort()
    const config = await configure(t, port)
    const abort = new AbortController()
    const never = new Promise<void>(() => {})
    const { signal } = abort
    const starting = createPlatform(config, { logger, consoleBuilt: never, signal })
    const url = `http://127.0.0.1:${port}`
    const refused = assert.rejects(starting, /aborted/)
    await eventually(
      'the process answers',
      async () => await ask(url, '/healthz').catch(() => undefined),
    )
    abort.abort()
    await refused
    await assert.rejects(ask(url, '/healthz'))
  })

  test('is ready while the demo servers are still loading', async (t) => {
    const flags = ['--demo', '--demo-servers=400']
    const platform = await startPlatform({ engine, flags, isLoadingDemo: true })
    t.after(() => platform.close())
    const { demo, url } = platform
    assert.ok(demo?.isLoading)
    assert.equal((await ask(url, '/readyz')).status, 200)
    const [owner] = demo.users
    const { name = '', domain = '', password = '' } = owner ?? {}
    const identity = {
      methods: ['password'],
      password: { user: { name, domain: { name: domain }, password } },
    }
    const login = await requestToken(url, { identity })
    assert.equal(login.status, 201)
    const token = login.headers.get('x-subject-token') ?? ''
    assert.equal((await ask(url, '/servers', { token })).status, 200)
    await demo.loaded
    const { body } = await ask<{ total: number }>(url, '/servers', { token })
    assert.ok(body.total > 0)
  })
})
