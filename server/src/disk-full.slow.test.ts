import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, loginAdmin, passwordIdentity, requestToken, tokenIdentity } from './testing/client.ts'
import {
  musterCommand,
  runMuster,
  spawnMuster,
  spawnProcess,
  suiteLifetime,
  type Exit,
} from './testing/spawn-muster.ts'
import { fillDisk, mountSmallDisk } from './testing/small-disk.ts'
import { adminPassword } from './testing/start-platform.ts'

describe('SQLite on a disk that is full', () => {
  const lifetime = suiteLifetime()

  test('REL-03: writes are 503, reads go on, nothing is lost or corrupt, and it recovers by itself', async (context) => {
    const disk = mountSmallDisk(lifetime, 8)
    const muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${disk}`],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    const url = muster.authUrl
    const token = await loginAdmin(url)
    const identity = tokenIdentity(token)
    const acknowledged = [token]
    const write = async () => {
      const answer = await requestToken(url, { identity })
      const secret = answer.headers.get('x-subject-token')
      if (answer.status === 201 && secret !== null) acknowledged.push(secret)
      return answer
    }
    const readiness = () => ask(url, '/readyz')
    const writesWith = async (status: number) => {
      const answers = await Promise.all(Array.from({ length: 20 }, write))
      assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [status])
      return answers
    }

    for (let round = 0; round < 2; round += 1) {
      assert.equal((await readiness()).status, 200)
      await writesWith(201)
      const full = fillDisk(disk)
      assert.equal(statfsSync(disk).bavail, 0)
      // What is free inside the write-ahead log is used up first.
      while ((await write()).status === 201) await pause(1)
      const [refused] = await writesWith(503)
      assert.match(refused?.text ?? '', /the disk is full/)
      assert.match(refused?.headers.get('retry-after') ?? '', /^[1-9]/)

      // Requests shortly after another one get the result of that check.
      let ready = await readiness()
      for (; ready.status !== 503; ready = await readiness()) await pause(20)
      assert.match(ready.body.details, /cannot write: the disk is full/)
      assert.equal((await ask(url, '/healthz')).status, 200)
      for (const path of ['/v3/auth/projects', '/v3/users', '/servers', '/servers/statistics']) {
        assert.equal((await ask(url, path, { token })).status, 200, path)
      }

      full.free()
      const freed = performance.now()
      await eventually('the process is ready again', async () => (await readiness()).status === 200)
      context.diagnostic(`ready ${Math.round(performance.now() - freed)} ms after space was freed`)
      await writesWith(201)
    }

    const byPassword = { identity: passwordIdentity('sysadmin', adminPassword) }
    assert.equal((await requestToken(url, byPassword)).status, 201)
    for (const secret of acknowledged) {
      assert.equal((await ask(url, '/v3/auth/projects', { token: secret })).status, 200)
    }
    assert.equal((await muster.end('SIGTERM')).code, 0)
    const lines = muster.stderr().split('\n')
    const count = (text: string) => lines.filter((line) => line.includes(`"${text}"`)).length
    assert.deepEqual([count('not ready'), count('ready again')], [2, 2])

    const database = new DatabaseSync(join(disk, 'muster.db'))
    assert.deepEqual(database.prepare('pragma integrity_check').all().map(Object.values), [['ok']])
    const { tokens } = database.prepare('select count(*) as tokens from tokens').get() ?? {}
    database.close()
    assert.equal(tokens, acknowledged.length + 1)

    // The file is there, but SQLite needs space to open it.
    const full = fillDisk(disk)
    assertFull(await runMuster(lifetime, [`--data-dir=${disk}`, '--port=0']))
    const [node, entry] = musterCommand
    const command = [node, entry, 'admin', 'check'] as const
    const check = await spawnProcess(lifetime, { command, flags: [`--data-dir=${disk}`] }).exited
    assert.equal(check.code, 1)
    assert.match(
      check.stdout,
      /^PROBLEM  disk\n +--data-dir: the disk of \S+ is full.*\nProblems found: 1\n$/,
    )
    full.free()
    const again = await spawnProcess(lifetime, { command, flags: [`--data-dir=${disk}`] }).exited
    assert.match(again.stdout, /^No problems found\.$/m)
  })

  function assertFull({ code, stderr }: Exit): void {
    assert.match(stderr, /^muster: --[^\n]*disk[^\n]* is full[^\n]*\n$/)
    assert.equal(code, 1)
  }

  test('a start says what is wrong with the disk', async (t) => {
    const disk = mountSmallDisk(lifetime, 8)
    const start = (name: string) => runMuster(t, [`--data-dir=${disk}/${name}`, '--port=0'])
    const full = fillDisk(disk)
    assertFull(await start('full'))
    full.free()
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const { code, stderr } = await start('other')
    assert.match(stderr, /^muster: --data-dir: the file system of \S+ is read-only\n$/)
    assert.equal(code, 2)
  })
})
