import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { ask, loginAdmin, requestToken, tokenIdentity } from '../testing/client.ts'
import { createTestDatabase, onBothEngines, type Engine } from '../testing/engines.ts'
import { isNightly, onSqliteFirst } from '../testing/lanes.ts'
import {
  musterCommand,
  spawnMuster,
  spawnProcess,
  temporaryFolder,
  type Lifetime,
} from '../testing/spawn-muster.ts'
import { adminPassword } from '../testing/start-platform.ts'

/** A place for a database and its secret key. */
async function createPlace(t: Lifetime, engine: Engine) {
  const dataDir = join(temporaryFolder(t), 'data')
  const key = join(dataDir, 'secret.key')
  const settings =
    engine === 'sqlite'
      ? [`--data-dir=${dataDir}`]
      : [`--database-url=${await createTestDatabase()}`, `--secret-key-file=${key}`]
  const admin = async (...args: string[]) => {
    const [program, script] = musterCommand
    const command = [program, script, 'admin'] as const
    return await spawnProcess(t, { command, flags: [...args, ...settings] }).exited
  }
  const start = () =>
    spawnMuster(t, {
      flags: ['--demo', '--demo-servers=500', ...settings],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
  return { dataDir, key, settings, admin, start }
}

type Place = Awaited<ReturnType<typeof createPlace>>

/** A new place with the secret key of another one. */
async function createPlaceWithKey(t: Lifetime, engine: Engine, { key }: Place): Promise<Place> {
  const place = await createPlace(t, engine)
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(key, place.key)
  return place
}

/** Creates project after project until it is stopped, and collects the acknowledged names. */
function writeProjects(url: string, token: string) {
  const names: string[] = []
  const stopping = new AbortController()
  const work = async () => {
    while (!stopping.signal.aborted) {
      const name = `project-${names.length}`
      const { status } = await ask(url, '/v3/projects', {
        method: 'POST',
        token,
        body: { project: { name } },
      })
      assert.equal(status, 201)
      names.push(name)
    }
  }
  const working = work()
  return {
    names,
    async stop() {
      stopping.abort()
      await working
    },
  }
}

async function listNames(url: string, path: string, key: string, token: string): Promise<string[]> {
  const { status, body } = await ask<Record<string, { name: string }[]>>(url, path, { token })
  assert.equal(status, 200)
  return (body[key] ?? []).map(({ name }) => name).sort()
}

const listServers = (url: string, token: string, query = '') =>
  listNames(url, `/servers?limit=2048&scope=system${query}`, 'servers', token)

onBothEngines('backup and restore', (engine) => {
  const other: Engine = engine === 'sqlite' ? 'postgres' : 'sqlite'

  test('REL-21: a backup under writes restores every write acknowledged before, on both engines', async (t) => {
    const place = await createPlace(t, engine)
    const muster = await place.start()
    const token = await loginAdmin(muster.authUrl)
    const revoked = await requestToken(muster.authUrl, { identity: tokenIdentity(token) })
    await eventually('the demo is loaded', () => muster.stderr().includes('100 %'))
    const servers = await listServers(muster.baseUrl, token)
    assert.ok(servers.length > 400)
    const writer = writeProjects(muster.authUrl, token)
    await eventually('20 projects are written', () => writer.names.length >= 20)

    const acknowledged = [...writer.names]
    const file = join(temporaryFolder(t), 'muster.backup')
    const { code, stdout, stderr } = await place.admin('backup', file)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /muster\.backup: [\d,]+ rows, [\d.]+ MiB/)
    assert.ok(writer.names.length > acknowledged.length, 'nothing was written meanwhile')
    await writer.stop()
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const text = zstdDecompressSync(readFileSync(file)).toString()
    for (const secret of [readFileSync(place.key, 'utf8').trim(), adminPassword, token]) {
      assert.ok(!text.includes(secret), 'the backup contains a secret')
    }
    await muster.end('SIGKILL')

    for (const target of isNightly ? [engine, other] : [other]) {
      const restored = await createPlaceWithKey(t, target, place)
      const restore = await restored.admin('restore', file)
      assert.equal(restore.code, 0, restore.stderr)
      assert.match(restore.stdout, /access keys that were deleted since/)
      const again = await restored.start()
      for (const ended of [token, revoked.headers.get('x-subject-token') ?? '']) {
        assert.equal((await ask(again.baseUrl, '/servers', { token: ended })).status, 401)
      }
      const login = await loginAdmin(again.authUrl)
      const projects = await listNames(again.authUrl, '/v3/projects', 'projects', login)
      assert.deepEqual(
        acknowledged.filter((name) => !projects.includes(name)),
        [],
      )
      const live = await listServers(again.baseUrl, login)
      // Some simulated servers are deleted as time passes.
      const deleted = await listServers(again.baseUrl, login, '&deleted=true')
      const known = new Set([...live, ...deleted])
      assert.deepEqual(
        servers.filter((name) => !known.has(name)),
        [],
      )
      assert.ok(Math.abs(live.length - servers.length) < 10, `${live.length} servers`)
      const [name = ''] = servers
      const found = await listServers(again.baseUrl, login, `&search=${name.slice(1)}`)
      assert.ok(found.includes(name), 'the search index is restored')
      const { body } = await ask<{ events: unknown[] }>(again.authUrl, '/events?action=restore', {
        token: login,
      })
      assert.equal(body.events.length, 1)
      const check = await restored.admin('backup', `${file}.${target}`)
      assert.equal(check.code, 0, check.stderr)
      await again.end('SIGTERM')
    }
  })
})

onSqliteFirst('a restore', (engine) => {
  test('replaces data only on request, and only while no server runs', async (t) => {
    const place = await createPlace(t, engine)
    const muster = await place.start()
    const file = join(temporaryFolder(t), 'muster.backup')
    assert.equal((await place.admin('backup', file)).code, 0)
    const twice = await place.admin('backup', file)
    assert.equal(twice.code, 2)
    assert.match(twice.stderr, /exists already/)
    const running = await place.admin('restore', file, '--replace')
    assert.equal(running.code, 1)
    assert.match(running.stderr, /another Muster process is using|Muster is running at/)
    const token = await loginAdmin(muster.authUrl)
    const writer = writeProjects(muster.authUrl, token)
    await eventually('3 projects are written', () => writer.names.length >= 3)
    await writer.stop()
    await muster.end('SIGTERM')

    const kept = await place.admin('restore', file)
    assert.equal(kept.code, 1)
    assert.match(kept.stderr, /add --replace/)

    const bytes = readFileSync(file)
    const damaged = join(temporaryFolder(t), 'damaged.backup')
    writeFileSync(damaged, bytes.subarray(0, bytes.length - 20))
    const refused = await place.admin('restore', damaged, '--replace')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /^muster: .*damaged\.backup: it.*\n$/)
    const between = await place.start()
    const login = await loginAdmin(between.authUrl)
    const all = await listNames(between.authUrl, '/v3/projects', 'projects', login)
    assert.deepEqual(
      writer.names.filter((name) => !all.includes(name)),
      [],
    )
    await between.end('SIGTERM')

    const replaced = await place.admin('restore', file, '--replace')
    assert.equal(replaced.code, 0, replaced.stderr)
    const last = /The data from before is in (\S+)\. /.exec(replaced.stdout)?.[1]
    assert.equal(last !== undefined && existsSync(last), engine === 'sqlite')
    const again = await place.start()
    const projects = await listNames(
      again.authUrl,
      '/v3/projects',
      'projects',
      await loginAdmin(again.authUrl),
    )
    assert.ok(projects.every((name) => !writer.names.includes(name)))
  })
})

describe('a restore', () => {
  test('needs the secret key of the backup', async (t) => {
    const place = await createPlace(t, 'sqlite')
    await place.start()
    const file = join(temporaryFolder(t), 'muster.backup')
    assert.equal((await place.admin('backup', file)).code, 0)
    const empty = await createPlace(t, 'sqlite')
    const without = await empty.admin('restore', file)
    assert.equal(without.code, 2)
    assert.match(without.stderr, /secret\.key does not exist\. Copy the secret key/)
    const another = await createPlace(t, 'sqlite')
    mkdirSync(another.dataDir, { mode: 0o700 })
    writeFileSync(another.key, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
    const wrong = await another.admin('restore', file)
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /is not the secret key that belongs to this backup/)
    assert.equal((await another.admin('restore', file, '--check')).code, 0)
    assert.ok(!existsSync(join(another.dataDir, 'muster.db')))
  })
})
