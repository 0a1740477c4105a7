import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { ask, loginAdmin, requestToken, tokenIdentity } from '../../server/src/testing/client.ts'
import {
  spawnMuster,
  temporaryFolder,
  type Lifetime,
} from '../../server/src/testing/spawn-muster.ts'
import { adminPassword } from '../../server/src/testing/start-platform.ts'
import { installPackages } from '../debian.ts'

async function startMuster(lifetime: Lifetime) {
  const dataDir = `${temporaryFolder(lifetime)}/data`
  const muster = await spawnMuster(lifetime, {
    flags: [`--data-dir=${dataDir}`],
    environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
  })
  return { muster, url: muster.authUrl, dataDir, admin: await loginAdmin(muster.authUrl) }
}

/** Watches all threads of a process until `stop` is called. */
async function attachStrace(lifetime: Lifetime, pid: number, options: readonly string[]) {
  if (!existsSync('/usr/bin/strace')) installPackages('strace')
  const output = `${temporaryFolder(lifetime)}/trace`
  const strace = spawn('strace', ['-f', '-y', '-o', output, ...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(strace, 'exit')
  const detach = async () => {
    strace.kill('SIGINT')
    await exited
  }
  lifetime.after(detach)
  let notes = ''
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (notes += text))
  while (!notes.includes('attached')) {
    if (strace.exitCode !== null) throw new Error(`strace did not start: ${notes}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    async stop(): Promise<string[]> {
      await detach()
      return readFileSync(output, 'utf8').split('\n')
    },
  }
}

/** Whether the write-ahead log was written, then synced, and nothing written to it since. */
function isSynced(lines: readonly string[]): boolean {
  const lastWrite = lines.findLastIndex((line) => /pwrite64\(.*muster\.db-wal/.test(line))
  return (
    lastWrite !== -1 &&
    lines
      .slice(lastWrite)
      .some((line) => /fsync\(\d+<[^>]*muster\.db-wal>\) += 0|fsync resumed>\) += 0/.test(line))
  )
}

describe('a disk', () => {
  test('REL-02: has every write before the response acknowledges it', async (t) => {
    const { muster, url, admin } = await startMuster(t)
    const trace = await attachStrace(t, muster.pid, [
      '-s60',
      '-e',
      'trace=fsync,fdatasync,pwrite64,write,writev',
    ])
    const writes = 10
    for (let count = 0; count < writes; count += 1) {
      assert.equal((await requestToken(url, { identity: tokenIdentity(admin) })).status, 201)
    }
    const lines = await trace.stop()
    const acknowledged = lines.flatMap((line, at) => (line.includes('HTTP/1.1 201') ? [at] : []))
    assert.equal(acknowledged.length, writes)
    let start = 0
    for (const end of acknowledged) {
      assert.ok(isSynced(lines.slice(start, end)), lines.slice(start, end + 1).join('\n'))
      start = end + 1
    }
  })

  // A commit syncs once and writes some 20 times.
  for (const [call, period] of [
    ['fsync', 7],
    ['pwrite64', 101],
  ] as const) {
    test(`REL-04: a ${call} that fails loses no acknowledged write, and Muster goes on`, async (t) => {
      const { muster, url, dataDir, admin } = await startMuster(t)
      const write = () => requestToken(url, { identity: tokenIdentity(admin) })
      const trace = await attachStrace(t, muster.pid, [
        '-P',
        `${dataDir}/muster.db-wal`,
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:error=EIO:when=3+${period}`,
      ])
      const acknowledged: string[] = []
      const statuses = new Map<number, number>()
      for (let count = 0; count < 60; count += 1) {
        const { status, headers } = await write()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const secret = headers.get('x-subject-token')
        if (status === 201 && secret !== null) acknowledged.push(secret)
      }
      const injected = (await trace.stop()).filter((line) => line.includes('(INJECTED)')).length
      t.diagnostic(`${injected} errors: ${JSON.stringify(Object.fromEntries(statuses))}`)
      assert.ok(injected > 0)
      assert.ok(acknowledged.length > 0)
      assert.deepEqual(
        [...statuses.keys()].filter((status) => status !== 201),
        [503],
      )
      // Without the fault it works again, without a restart.
      assert.equal((await write()).status, 201)
      for (const token of [admin, ...acknowledged]) {
        assert.equal((await ask(url, '/v3/auth/projects', { token })).status, 200)
      }
      await muster.end('SIGKILL')
      const database = new DatabaseSync(`${dataDir}/muster.db`)
      const check = database.prepare('pragma integrity_check').all().map(Object.values)
      const { tokens } = database.prepare('select count(*) as tokens from tokens').get() ?? {}
      database.close()
      assert.deepEqual(check, [['ok']])
      assert.ok(Number(tokens) >= acknowledged.length + 2)
    })
  }
})
