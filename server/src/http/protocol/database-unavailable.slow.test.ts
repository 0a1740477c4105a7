import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { before, describe, test } from 'node:test'
import type { ErrorBody } from '@muster/contract'
import pg from 'pg'
import { assertRetryAfter } from '../../testing/assert-error.ts'
import {
  ask,
  loginAdmin,
  passwordIdentity,
  requestToken,
  tokenIdentity,
  type ClientResponse,
} from '../../testing/client.ts'
import { createTestDatabase } from '../../testing/engines.ts'
import {
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Lifetime,
} from '../../testing/spawn-muster.ts'
import { adminPassword } from '../../testing/start-platform.ts'
import { startDatabaseProxy, throughProxy } from '../../testing/tcp-proxy.ts'

/** A real process, because a lost connection could crash it. */
async function startBehindProxy(lifetime: Lifetime) {
  const databaseUrl = await createTestDatabase()
  const proxy = await startDatabaseProxy(lifetime, databaseUrl)
  const muster = await spawnMuster(lifetime, {
    flags: [
      `--database-url=${throughProxy(databaseUrl, proxy)}`,
      `--secret-key-file=${temporaryFolder(lifetime)}/secret.key`,
      '--events-syslog=tcp://127.0.0.1:9',
    ],
    environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
  })
  return { databaseUrl, proxy, muster, url: muster.authUrl }
}
type BehindProxy = Awaited<ReturnType<typeof startBehindProxy>>

/** The maximum duration of a request (10 s) with some reserve. */
const patience = 12_000

async function withPatience<Answer>(what: string, answer: Promise<Answer>): Promise<Answer> {
  const expired = new AbortController()
  const end = pause(patience, undefined, { signal: expired.signal, ref: false }).then(() => {
    throw new Error(`${what}: no answer at all`)
  })
  try {
    return await Promise.race([answer, end])
  } finally {
    end.catch(() => {})
    expired.abort()
  }
}

const login = (url: string, password = adminPassword) =>
  requestToken(url, { identity: passwordIdentity('sysadmin', password) })

function assertUnavailable(what: string, answer: ClientResponse<ErrorBody>): void {
  const { status, headers, body } = answer
  assert.equal(status, 503, `${what}: ${status} ${answer.text}`)
  assertRetryAfter(answer)
  assert.deepEqual(Object.keys(body).sort(), ['class', 'code', 'details', 'request_id', 'time'])
  assert.equal(body.code, 503)
  assert.equal(body.class, 'ServiceUnavailable')
  assert.equal(body.request_id, headers.get('x-request-id'))
}

/** Repeats a request while the status is this one. */
async function whileAnswering(status: number, send: () => Promise<ClientResponse<ErrorBody>>) {
  const end = performance.now() + patience
  let answer = await send()
  while (answer.status === status && performance.now() < end) {
    await pause(100)
    answer = await send()
  }
  return answer
}

/** Its tests run in sequence, even if the suites run concurrently. */
const inOrder = { concurrency: 1 }

// The suites mostly wait for timeouts, so they run concurrently.
describe('PostgreSQL', { concurrency: 3 }, () => {
  describe('without a database', inOrder, () => {
    const lifetime = suiteLifetime()
    let away: BehindProxy
    let token: string
    const showProjects = () => ask(away.url, '/v3/auth/projects', { token })
    before(async () => {
      away = await startBehindProxy(lifetime)
      token = await loginAdmin(away.url)
      assert.equal((await showProjects()).status, 200)
      assert.equal((await ask(away.url, '/readyz')).status, 200)
      away.proxy.cut()
    })

    test('a login is 503 with Retry-After, valid or not, by password or by token', async () => {
      assertUnavailable('right', await login(away.url))
      assertUnavailable('wrong', await login(away.url, 'a wrong sentence'))
      const identity = tokenIdentity(token)
      const rescope = () => requestToken(away.url, { identity })
      assertUnavailable('by token', await rescope())
      const { headers } = await login(away.url)
      assert.equal(headers.get('content-type'), 'application/json')
    })

    test('/readyz is 503 with Retry-After, and /healthz is 200', async () => {
      const answer = await whileAnswering(200, () => ask(away.url, '/readyz'))
      assertUnavailable('/readyz', answer)
      assert.equal(answer.body.details, 'The database does not respond.')
      assert.equal((await ask(away.url, '/healthz')).status, 200)
    })

    test('a cached token becomes 503: no stale authorization', async () => {
      const answer = await whileAnswering(200, showProjects)
      assertUnavailable('remembered', answer)
      for (const headers of [{ 'x-subject-token': token }]) {
        const validated = await ask(away.url, '/v3/auth/tokens', { token, headers })
        assertUnavailable('validated', validated)
        const revoked = await ask(away.url, '/v3/auth/tokens', { method: 'DELETE', token, headers })
        assertUnavailable('revoked', revoked)
      }
      assertUnavailable('still', await showProjects())
    })

    test('a malformed token is 401 without the database', async () => {
      assert.equal((await ask(away.url, '/v3/auth/projects', { token: 'mt1_x' })).status, 401)
    })

    test('recovers with the database, without a restart', async () => {
      away.proxy.restore()
      const ready = await whileAnswering(503, () => ask(away.url, '/readyz'))
      assert.equal(ready.status, 200)
      assert.equal((await whileAnswering(503, showProjects)).status, 200)
      assert.equal((await login(away.url)).status, 201)
      assert.equal((await login(away.url, 'a wrong sentence')).status, 401)
      const lines = away.muster.stderr().split('\n')
      const count = (text: string) => lines.filter((line) => line.includes(text)).length
      assert.deepEqual([count('"not ready"'), count('"ready again"')], [1, 1])
      assert.equal(count('delivery of events'), 0)
    })
  })

  describe('with a database that never responds', inOrder, () => {
    const lifetime = suiteLifetime()
    let silent: BehindProxy
    let token: string
    before(async () => {
      silent = await startBehindProxy(lifetime)
      token = await loginAdmin(silent.url)
      // Several connections in the pool: each hanging one could block a request.
      const identity = tokenIdentity(token)
      await Promise.all(Array.from({ length: 10 }, () => requestToken(silent.url, { identity })))
      silent.proxy.silence()
    })

    test('REL-07: every request gets a 503, and all recover', async () => {
      const { url, proxy } = silent
      const answers = await Promise.allSettled([
        withPatience('/readyz', ask(url, '/readyz')),
        withPatience('a login', login(url)),
        withPatience(
          'a remembered token',
          whileAnswering(200, () => ask(url, '/v3/auth/projects', { token })),
        ),
      ])
      assert.deepEqual(
        answers.flatMap((answer) =>
          answer.status === 'rejected' ? [(answer.reason as Error).message] : [],
        ),
        [],
      )
      for (const answer of answers) {
        if (answer.status === 'fulfilled') assertUnavailable('silent', answer.value)
      }
      proxy.restore()
      const ready = await whileAnswering(503, () => ask(url, '/readyz'))
      assert.equal(ready.status, 200)
      assert.equal((await login(url)).status, 201)
    })
  })

  describe('with connections that break during queries', inOrder, () => {
    const lifetime = suiteLifetime()

    /** Repeats logins until stopped and records the responses. */
    function startLoad(url: string, parent: string) {
      const seen = new Map<string, number>()
      const stopping = new AbortController()
      const identity = tokenIdentity(parent)
      const workers = Array.from({ length: 10 }, async () => {
        while (!stopping.signal.aborted) {
          const outcome = await requestToken(url, { identity }).then(
            (answer) => {
              if (answer.status === 503) assertRetryAfter(answer)
              return String(answer.status)
            },
            () => 'no answer',
          )
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
          if (outcome === 'no answer') return
        }
      })
      return {
        seen,
        async stop(): Promise<void> {
          stopping.abort()
          await Promise.all(workers)
        },
      }
    }

    async function breakDuringLoad(running: BehindProxy, breakConnections: () => Promise<unknown>) {
      const load = startLoad(running.url, await loginAdmin(running.url))
      // The first login may take longer on a slow machine.
      await eventually('a login succeeds', () => load.seen.has('201'))
      for (let time = 0; time < 5; time += 1) {
        await pause(100)
        await breakConnections()
      }
      await load.stop()
      const outcomes = [...load.seen.keys()].sort()
      const lastWords = running.muster
        .stderr()
        .split('\n')
        .filter((line) => !line.startsWith('{'))
      assert.deepEqual(
        outcomes.filter((outcome) => outcome !== '201' && outcome !== '503'),
        [],
        lastWords.slice(0, 8).join('\n'),
      )
      assert.equal((await whileAnswering(503, () => login(running.url))).status, 201)
    }

    test('REL-05: terminated database sessions cause 503s, never a crash', async () => {
      const running = await startBehindProxy(lifetime)
      const client = new pg.Client(running.databaseUrl)
      await client.connect()
      lifetime.after(() => client.end())
      await breakDuringLoad(running, () =>
        client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'muster' and datname = current_database()",
        ),
      )
    })

    test('REL-05: reset database connections cause 503s, never a crash', async () => {
      const running = await startBehindProxy(lifetime)
      await breakDuringLoad(running, async () => {
        running.proxy.cut()
        running.proxy.restore()
      })
    })
  })
})
