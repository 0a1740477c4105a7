import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pino } from 'pino'
import { ConfigError } from '../config/parsers.ts'
import { demandGoodPassword } from '../domain/identity/password-rules.ts'
import type { ServerFacts } from '../domain/inventory/server-facts.ts'
import { createDirectory } from '../storage/directory.ts'
import { findDemoNote } from '../storage/demo-note.ts'
import { createRegistry } from '../storage/registry/registry.ts'
import { onBothEngines } from '../testing/engines.ts'
import { dumpTables, openStorage, type TestStorage } from '../testing/open-storage.ts'
import { createPasswordHasher } from '../vault/password-hasher.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import { composeDemo } from './compose-demo.ts'
import { demoDomains, demoPeople, demoProjects } from './demo-organisation.ts'
import { renderDemo } from './demo-welcome.ts'
import { createLayDemo } from './lay-demo.ts'

const hasher = createPasswordHasher()
const clock = () => Date.UTC(2026, 10, 15)

interface Options {
  readonly servers?: number
  readonly hasRealServers?: boolean
}

onBothEngines('a demo', (engine) => {
  async function stage(t: TestContext) {
    const storage = await openStorage(engine)
    const stops: (() => Promise<void>)[] = []
    t.after(async () => {
      for (const stop of stops) await stop()
      await storage.close()
    })
    const recorded = new Map<string, ServerFacts>()
    let scans = 0
    const start = async ({ servers, hasRealServers = false }: Options = {}) => {
      scans = 0
      const demo = await composeDemo({
        config: { demoServers: servers },
        database: storage.database,
        hasher,
        key: loadSecretKey(join(storage.place.folder, 'secret.key')),
        clock,
        logger: pino({ level: 'silent' }),
        recordServers: async ({ present }) => {
          scans += 1
          for (const facts of present) recorded.set(facts.id, facts)
        },
        hasRealServers: async () => hasRealServers,
      })
      stops.push(demo.stop)
      return demo
    }
    return { ...storage, start, recorded, scans: () => scans }
  }

  const identityOf = async ({ database }: Pick<TestStorage, 'database'>) => {
    const { settings: _settings, ...rest } = await dumpTables(database)
    return rest
  }

  test('has domains, projects, servers in each, and someone of each kind', async (t) => {
    const { start, recorded, database } = await stage(t)
    const { users, servers } = await start()
    assert.equal(servers, 1_000)
    assert.equal(recorded.size, 1_000)
    const rows = await database.read.selectFrom('projects').select(['id', 'domain_id']).execute()
    const owners = new Set([...recorded.values()].map(({ project_id }) => project_id))
    assert.equal(owners.size, 12)
    for (const id of owners) assert.ok(rows.some((row) => row.id === id))
    assert.equal(new Set(rows.map(({ domain_id }) => domain_id)).size, 1 + demoDomains.length)

    assert.deepEqual(
      users.map(({ name, role, domain, project }) => [name, role, domain, project]),
      [
        ['demo-owner', 'project_owner', 'Research', 'genome-pipeline'],
        ['demo-viewer', 'project_viewer', 'Research', 'genome-pipeline'],
        ['demo-domain-admin', 'domain_admin', 'Research', undefined],
        ['demo-auditor', 'auditor', 'Research', 'genome-pipeline'],
      ],
    )
    const directory = createDirectory(database)
    for (const { name, password = '', domain } of users) {
      await demandGoodPassword(password)
      const { credentials } = await directory.findAccount({ name, domain: { name: domain } })
      const standing = await directory.loadStanding(credentials?.user.id ?? '')
      const person = demoPeople.find((one) => one.name === name)
      assert.deepEqual(
        standing?.assignments.map(({ role, target }) => [role.name, target.kind]).toSorted(),
        person?.roles.map(({ role, on }) => [role, on]).toSorted(),
      )
      const matches = await hasher.inTurn((compare) =>
        compare(credentials?.passwordHash ?? null, password),
      )
      assert.ok(matches, name)
    }
    assert.equal(new Set(users.map(({ password }) => password)).size, users.length)
  })

  test('is made once: the next start finds it, with the same passwords, and loads nothing', async (t) => {
    const { start, scans, database } = await stage(t)
    const first = await start({ servers: 50 })
    const before = await identityOf({ database })
    const second = await start()
    assert.deepEqual(second.users, first.users)
    assert.equal(second.servers, 50)
    assert.equal(scans(), 0)
    assert.deepEqual(await identityOf({ database }), before)
    const note = await findDemoNote(database.read)
    assert.deepEqual([note?.servers, note?.loaded], [50, 50])
  })

  test('leaves its people alone once they are made', async (t) => {
    const { start, database } = await stage(t)
    await start({ servers: 20 })
    const [owner, viewer, admin] = demoPeople
    const { read } = database
    await database.commitNews([
      read
        .updateTable('users')
        .set({ password_hash: await hasher.hash('another password') })
        .where('id', '=', owner?.id ?? '')
        .compile(),
      read
        .deleteFrom('users')
        .where('id', '=', viewer?.id ?? '')
        .compile(),
      read
        .updateTable('users')
        .set({ enabled: 0 })
        .where('id', '=', admin?.id ?? '')
        .compile(),
    ])
    const before = await identityOf({ database })
    const { users } = await start()
    assert.deepEqual(await identityOf({ database }), before)
    assert.deepEqual(
      users.map(({ name, password }) => [name, password !== undefined]),
      [
        ['demo-owner', false],
        ['demo-auditor', true],
      ],
    )
  })

  test('makes again what its fleet cannot be without', async (t) => {
    const { start, database } = await stage(t)
    await start({ servers: 20 })
    const [, project] = demoProjects(20)
    const { read } = database
    const lost = read.deleteFrom('projects').where('id', '=', project?.id ?? '')
    await database.commitNews([lost.compile()])
    await start()
    const ids = (await read.selectFrom('projects').select('id').execute()).map(({ id }) => id)
    assert.ok(ids.includes(project?.id ?? ''))
  })

  test('grows, but does not shrink', async (t) => {
    const { start, recorded, database } = await stage(t)
    await start({ servers: 30 })
    const people = await database.read.selectFrom('users').select('id').execute()
    await start({ servers: 13_000 })
    assert.equal(recorded.size, 13_000)
    const owners = new Set([...recorded.values()].map(({ project_id }) => project_id))
    assert.deepEqual(owners, new Set(demoProjects(13_000).map(({ id }) => id)))
    assert.equal(owners.size, 13)
    assert.deepEqual(await database.read.selectFrom('users').select('id').execute(), people)
    await assert.rejects(start({ servers: 12_999 }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /^--demo-servers is less than the 13000 [^\n]*$/)
      return true
    })
  })

  test('does not go on top of real servers, and leaves no trace of the try', async (t) => {
    const { start, database } = await stage(t)
    const before = await dumpTables(database)
    await assert.rejects(start({ hasRealServers: true }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /^--demo does not go on top of real servers[^\n]*$/)
      return true
    })
    assert.deepEqual(await dumpTables(database), before)
  })

  test('takes other names where its own are somebody else’s', async (t) => {
    const { start, database } = await stage(t)
    const { read } = database
    const row = { id: 'another', name: 'RESEARCH', name_key: 'research', description: '' }
    await database.commitNews([
      read
        .insertInto('domains')
        .values({ ...row, enabled: 1, created_at: 0 })
        .compile(),
    ])
    const { users } = await start({ servers: 5 })
    assert.equal(users[0]?.domain, 'Research-demo')
  })

  test('makes a thousand projects at once, and tells the audit log of each', async (t) => {
    const { start, database } = await stage(t)
    // Nobody needs a million servers to see it.
    const { read } = database
    await start({ servers: 1 })
    const key = { demoPassword: () => assert.fail('nobody is to be made') }
    const layDemo = createLayDemo({ registry: createRegistry(database), hasher, key, clock })
    await layDemo(demoProjects(2_000_000), false)
    const count = async (table: 'projects' | 'events') => {
      const rows = await read.selectFrom(table).select('id').execute()
      return rows.length
    }
    assert.equal(await count('projects'), 1 + 2_000)
    assert.ok((await count('events')) >= 2_000 + demoDomains.length + demoPeople.length)
  })

  test('has a welcome that names everyone, with a line that a shell can read', async (t) => {
    const { start } = await stage(t)
    const demo = await start({ servers: 5 })
    const welcome = renderDemo(demo, 'http://id.example', 'http://api.example')
    for (const { name, password = '' } of demo.users) {
      assert.match(welcome, new RegExp(`^  ${name} +${password} +Research `, 'm'))
    }
    const line = /^ {2}(curl .*)$/m.exec(welcome)?.[1] ?? ''
    assert.match(line, /http:\/\/api\.example\/servers\?limit=5/)
    if (process.platform === 'win32') return
    // Curl is played by a script that shows what it was called with, and answers a login.
    const fake = `curl() { if [ "$1" = "-si" ]; then echo "$6" >&2; printf 'HTTP/1.1 201\\r\\nX-Subject-Token: mt1_x\\r\\n\\r\\n'; else echo "$2 $4"; fi; }; ${line}`
    const { stdout, stderr } = spawnSync('sh', ['-c', fake], { encoding: 'utf8' })
    assert.equal(stdout.trim(), 'http://api.example/servers?limit=5 X-Auth-Token: mt1_x')
    const [owner] = demo.users
    assert.deepEqual(JSON.parse(stderr), {
      auth: {
        identity: {
          methods: ['password'],
          password: {
            user: { name: owner?.name, domain: { name: owner?.domain }, password: owner?.password },
          },
        },
      },
    })
  })
})
