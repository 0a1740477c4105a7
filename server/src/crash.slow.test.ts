import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, loginAdmin, passwordIdentity, requestToken, tokenIdentity } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { nightlyRuns } from './testing/lanes.ts'
import {
  runMuster,
  spawnMuster,
  spawnProcess,
  temporaryFolder,
  type Lifetime,
} from './testing/spawn-muster.ts'
import { adminPassword } from './testing/start-platform.ts'

const start = (t: Lifetime, dataDir: string) =>
  spawnMuster(t, {
    flags: [`--data-dir=${dataDir}`],
    environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
  })

/** Looks into the data of a process that is gone. */
function readData<Row>(dataDir: string, query: string): Row[] {
  const database = new DatabaseSync(`${dataDir}/muster.db`)
  try {
    return database.prepare(query).all() as Row[]
  } finally {
    database.close()
  }
}

const isGood = async (url: string, token: string): Promise<boolean> => {
  const headers = { 'x-subject-token': token }
  return (await ask(url, '/v3/auth/tokens', { method: 'HEAD', token, headers })).status === 200
}

/** Gets token after token until the server is gone, and notes every one that was acknowledged. */
async function writeTokens(url: string, parent: string, acknowledged: string[]): Promise<void> {
  for (;;) {
    const answer = await requestToken(url, { identity: tokenIdentity(parent) }).catch(() => {})
    if (!answer) return
    assert.equal(answer.status, 201)
    acknowledged.push(answer.headers.get('x-subject-token') ?? '')
  }
}

describe('a crash', { concurrency: 2 }, () => {
  test('REL-01: kill -9 at any time of the first start leaves data that the next start accepts', async (t) => {
    for (const delay of [0, 4, 8, 12, 16, 24]) {
      const dataDir = `${temporaryFolder(t)}/data`
      const first = spawnProcess(t, { flags: ['--port=0', `--data-dir=${dataDir}`] })
      await eventually('the database file exists', () => existsSync(`${dataDir}/muster.db`))
      await pause(delay)
      await first.end('SIGKILL')
      const second = await start(t, dataDir)
      await second.end('SIGKILL')
    }
  })

  test('REL-01: kill -9 during writes loses no acknowledged token', async (t) => {
    const dataDir = `${temporaryFolder(t)}/data`
    const kills = nightlyRuns(10)
    const writers = 4
    const all: string[] = []
    let muster = await start(t, dataDir)
    const parent = await loginAdmin(muster.authUrl)
    for (let kill = 1; kill <= kills; kill += 1) {
      const acknowledged: string[] = []
      const writing = Array.from({ length: writers }, () =>
        writeTokens(muster.authUrl, parent, acknowledged),
      )
      // At another moment of the writing each time.
      while (acknowledged.length < 5 + 3 * kill) await new Promise(setImmediate)
      await muster.end('SIGKILL')
      await Promise.all(writing)
      all.push(...acknowledged)
      muster = await start(t, dataDir)
      for (const token of acknowledged) assert.ok(await isGood(muster.authUrl, token))
    }
    assert.ok(all.length >= kills * 8)
    for (const token of [parent, ...all]) assert.ok(await isGood(muster.authUrl, token))
    await muster.end('SIGKILL')
    const [check] = readData<{ integrity_check: string }>(dataDir, 'pragma integrity_check')
    assert.equal(check?.integrity_check, 'ok')
    assert.deepEqual(readData(dataDir, 'pragma foreign_key_check'), [])
  })

  test('SEC-22: login failures are still counted after kill -9', async (t) => {
    const dataDir = `${temporaryFolder(t)}/data`
    const fail = async (url: string, times: number) => {
      const identity = passwordIdentity('sysadmin', 'a wrong sentence')
      for (let time = 0; time < times; time += 1) {
        assert.equal((await requestToken(url, { identity })).status, 401)
      }
    }
    const first = await start(t, dataDir)
    await fail(first.authUrl, 4)
    await first.end('SIGKILL')
    const second = await start(t, dataDir)
    await fail(second.authUrl, 6)
    await second.end('SIGKILL')
    const attempts = readData<{ failures: number; blocked_until: number }>(
      dataDir,
      'select failures, blocked_until from login_attempts',
    )
    assert.deepEqual(
      attempts.map(({ failures }) => failures),
      [10],
    )
    assert.ok((attempts[0]?.blocked_until ?? 0) > 0, 'ten in a row, and no delay')
  })

  test('REL-17: kill -9 of one of two processes on PostgreSQL loses no acknowledged token', async (t) => {
    const key = `${temporaryFolder(t)}/secret.key`
    const databaseUrl = await createTestDatabase('migrated')
    const startBeside = () =>
      spawnMuster(t, {
        flags: [`--database-url=${databaseUrl}`, `--secret-key-file=${key}`],
        environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
      })
    const first = await startBeside()
    const second = await startBeside()
    const parent = await loginAdmin(second.authUrl)
    const acknowledged: string[] = []
    const writing = writeTokens(first.authUrl, parent, acknowledged)
    await eventually('20 writes are acknowledged', () => acknowledged.length >= 20)
    await first.end('SIGKILL')
    await writing
    for (const token of acknowledged) assert.ok(await isGood(second.authUrl, token))
    const killed = performance.now()
    const third = await startBeside()
    t.diagnostic(`started again in ${Math.round(performance.now() - killed)} ms`)
    for (const token of acknowledged) assert.ok(await isGood(third.authUrl, token))
  })

  test('REL-25: a second process on the same data is rejected, and the first keeps running', async (t) => {
    const dataDir = `${temporaryFolder(t)}/data`
    const first = await start(t, dataDir)
    const token = await loginAdmin(first.authUrl)
    const second = await runMuster(t, ['--port=0', `--data-dir=${dataDir}`])
    assert.equal(second.code, 1)
    assert.equal(second.stdout, '')
    assert.match(second.stderr, /^muster: another Muster process is using [^\n]+\n$/)
    assert.ok(second.stderr.includes(dataDir))
    assert.ok(await isGood(first.authUrl, token))
    await loginAdmin(first.authUrl)
    // The refused process leaves nothing behind that blocks the next one.
    await first.end('SIGKILL')
    const third = await start(t, dataDir)
    assert.ok(await isGood(third.authUrl, token))
  })
})
