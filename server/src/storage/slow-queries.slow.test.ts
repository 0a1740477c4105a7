import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import pg from 'pg'
import { PlatformError } from '../domain/error.ts'
import { createTestDatabase, onBothEngines, type Engine } from '../testing/engines.ts'
import type { Database, Row } from './database.ts'
import { openPostgres, defaultLimits } from './postgres/open.ts'
import { createSlowQueries } from './slow-queries.ts'
import { openSqlite } from './sqlite/open.ts'

const isStopped = (error: unknown) =>
  error instanceof PlatformError && error.status === 503 && error.retryAfter !== undefined

const ask = (sql: string) => [{ sql, parameters: [] }]
const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e15)`
const endless: Record<Engine, string> = {
  sqlite: `${numbers} select count(*) as n from n where case when i & 63 then 1 else check_stop() end`,
  postgres: `select pg_sleep(3600)`,
}

async function open(t: TestContext, engine: Engine, timeout: number) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-slow-'))
  const url = engine === 'postgres' ? await createTestDatabase('migrated') : ''
  const database = await (engine === 'sqlite'
    ? openSqlite(folder, async () => {}, timeout)
    : openPostgres(url, async () => {}, { ...defaultLimits, slowTimeout: timeout }))
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { database, url }
}

/** On a busy machine even a thread's start may take longer than the deadline: then it is asked again. */
async function assertAnswers(database: Database): Promise<void> {
  for (;;) {
    const rows = await database
      .run(ask('select 1 as one'), { user: 'a' })
      .catch((error: unknown) => {
        if (!isStopped(error)) throw error
      })
    if (rows) {
      assert.deepEqual(rows, [[{ one: 1 }]])
      return
    }
  }
}

onBothEngines('a slow query', (engine) => {
  test('is stopped at its deadline, and its slot is free again', async (t) => {
    const { database } = await open(t, engine, 200)
    // More than there are threads or connections, so that each has to run again.
    for (let round = 0; round < 3; round += 1) {
      const queries = ['a', 'b', 'c', 'd'].map((user) =>
        assert.rejects(database.run(ask(endless[engine]), { user }), isStopped),
      )
      await Promise.all(queries)
    }
    await assertAnswers(database)
  })

  test('is stopped when its client disconnects', async (t) => {
    const { database } = await open(t, engine, 3_600_000)
    // All that can run at once: the last question is answered only if they end.
    const gone = new AbortController()
    const queries = Array.from({ length: 8 }, (_, at) =>
      assert.rejects(
        database.run(ask(endless[engine]), { user: `${at % 4}`, signal: gone.signal }),
        isStopped,
      ),
    )
    await pause(100)
    gone.abort()
    await Promise.all(queries)
    await assertAnswers(database)
  })
})

describe('a slow query on SQLite', () => {
  test('that does not stop is abandoned, and another thread takes its place', async (t) => {
    const { database } = await open(t, 'sqlite', 200)
    const users = ['a', 'b', 'c']
    await Promise.all(users.map(() => assertAnswers(database)))
    // Not endless: ending a thread waits for its statement.
    const deaf = `${numbers.replace('1e15', '3e6')} select count(*) as n from n where i < 0`
    await Promise.all(
      users.map((user) => assert.rejects(database.run(ask(deaf), { user }), isStopped)),
    )
    await assertAnswers(database)
  })
})

describe('a slow query on PostgreSQL', () => {
  test('is cancelled in PostgreSQL too, and has a statement timeout there', async (t) => {
    const { database, url } = await open(t, 'postgres', 3_600_000)
    const client = new pg.Client(url)
    await client.connect()
    t.after(() => client.end())
    const running = async () => {
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(3600)%' and state = 'active' and datname = current_database() and pid <> pg_backend_pid()`,
      )
      return rows[0]?.n
    }
    const gone = new AbortController()
    const asked = database.run(ask(endless.postgres), { user: 'a', signal: gone.signal })
    asked.catch(() => {})
    await eventually('one query runs', async () => (await running()) === 1)
    gone.abort()
    await assert.rejects(asked, isStopped)
    await eventually('no query runs', async () => (await running()) === 0)
    const [limit] = await database.run(ask('show statement_timeout'), { user: 'a' })
    assert.deepEqual(limit, [{ statement_timeout: '1h' }])
  })
})

describe('the queue of slow queries', () => {
  test('holds the slot of a stopped query until the engine is done with it', async () => {
    const done = Promise.withResolvers<Row[][]>()
    const started: string[] = []
    let stops = 0
    const { run } = createSlowQueries({ slots: 1, timeout: 20 }, ([query]) => {
      started.push(query?.sql ?? '')
      return query?.sql === 'slow'
        ? { rows: done.promise, stop: () => void (stops += 1) }
        : { rows: Promise.resolve([]), stop: () => {} }
    })
    await assert.rejects(run(ask('slow'), { user: 'a' }), isStopped)
    assert.equal(stops, 1)
    await assert.rejects(run(ask('next'), { user: 'b' }), isStopped)
    done.reject(new Error('stopped'))
    await run(ask('last'), { user: 'b' })
    assert.deepEqual(started, ['slow', 'last'])
  })
})
