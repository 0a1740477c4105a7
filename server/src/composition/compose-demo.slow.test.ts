import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test, type TestContext } from 'node:test'
import { maxTimelineDays } from '@muster/contract'
import { ConfigError } from '../config/parsers.ts'
import { requireGoodPassword } from '../domain/identity/password-rules.ts'
import { simulatedAccounts } from '../../../simulator/src/sites.ts'
import { createDirectory } from '../storage/identity/directory.ts'
import { createRegistry } from '../storage/registry/registry.ts'
import { countServersOf } from '../storage/stored-counts.ts'
import { isNightly, onPostgresFirst } from '../testing/lanes.ts'
import { dumpOrganisation, startTestDemo } from '../testing/start-demo.ts'
import { createPasswordHasher } from '../vault/password-hasher.ts'
import { demoDomains, demoPeople, demoProjects } from '../../../simulator/src/demo/organisation.ts'
import { welcomeText } from '../../../simulator/src/demo/welcome-text.ts'
import { createSeedDemoOrganisation } from './seed-demo-organisation.ts'
import { testPasswordCost } from '../testing/password-cost.ts'

const hasher = createPasswordHasher(testPasswordCost)
const clock = () => Date.UTC(2026, 10, 15)

onPostgresFirst('a demo', (engine) => {
  const startDemo = (t: TestContext) => startTestDemo(t, engine)

  test('has domains, projects, accounts and servers in each, and users of each role', async (t) => {
    const { start, listServers, accounts, database } = await startDemo(t)
    const { users, servers } = await start()
    assert.equal(servers, 1_000)
    const there = await listServers()
    // A few are gone for a while, like everywhere.
    assert.ok(there.length > 950 && there.length <= 1_000, String(there.length))
    const rows = await database.db.selectFrom('projects').select(['id', 'domain_id']).execute()
    const owners = new Set(there.map(({ project_id }) => project_id))
    assert.deepEqual(owners, new Set(demoProjects(1_000).map(({ id }) => id)))
    for (const id of owners) assert.ok(rows.some((row) => row.id === id))
    assert.equal(new Set(rows.map(({ domain_id }) => domain_id)).size, 1 + demoDomains.length)
    const attached = await accounts.all()
    assert.deepEqual(
      attached.map(({ account: { id, name, created_at, provider } }) => [
        id,
        name,
        created_at,
        provider,
      ]),
      simulatedAccounts(20_260_101)
        .toSorted((a, b) => a.attachedAt - b.attachedAt)
        .map(({ id, name, attachedAt }) => [id, name, attachedAt, 'Simulator']),
    )
    const holders = new Set(there.map(({ account_id }) => account_id))
    assert.deepEqual(holders, new Set(attached.map(({ account }) => account.id)))
    for (const id of holders) {
      const own = there.filter(({ account_id, state }) => account_id === id && state === 0)
      assert.equal(await countServersOf(database.db, [id]), own.length)
    }

    // It has grown for as long as a timeline goes back.
    const days = await database.db
      .selectFrom('fleet_days')
      .select(({ fn }) => ['day', fn.sum<number>('servers').as('servers')])
      .groupBy('day')
      .orderBy('day')
      .execute()
    assert.equal(days.length, maxTimelineDays)
    const [first = 0, quarter = 0, last = 0] = [0, -90, -1].map((at) =>
      Number(days.at(at)?.servers),
    )
    assert.ok(first < quarter && quarter < last && last <= there.length, `${first} ${last}`)
    assert.ok(first > there.length / 3 && last > 0.95 * there.length, `${first} ${last}`)

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
      await requireGoodPassword(password)
      const { credentials } = await directory.findCredentials({ name, domain: { name: domain } })
      const userStatus = await directory.loadUserStatus(credentials?.user.id ?? '')
      const person = demoPeople.find((one) => one.name === name)
      assert.deepEqual(
        userStatus?.assignments.map(({ role, target }) => [role.name, target.kind]).toSorted(),
        person?.roles.map(({ role, on }) => [role, on]).toSorted(),
      )
      const matches = await hasher.inTurn((compare) =>
        compare(credentials?.passwordHash ?? null, password),
      )
      assert.ok(matches, name)
    }
    assert.equal(new Set(users.map(({ password }) => password)).size, users.length)
  })

  test('is created once: the next start finds it with the same passwords and loads nothing', async (t) => {
    const { start, loads, database } = await startDemo(t)
    const first = await start({ servers: 50 })
    assert.equal(loads(), 1)
    const before = await dumpOrganisation(database)
    const second = await start()
    assert.deepEqual(second.users, first.users)
    assert.equal(second.servers, 50)
    assert.equal(loads(), 0)
    assert.deepEqual(await dumpOrganisation(database), before)
  })

  test('does not change existing users', async (t) => {
    const { start, database } = await startDemo(t)
    await start({ servers: 20 })
    const [owner, viewer, admin] = demoPeople
    const { db } = database
    await database.commitIdentity([
      db
        .updateTable('users')
        .set({ password_hash: await hasher.hash('another password') })
        .where('id', '=', owner?.id ?? '')
        .compile(),
      db
        .deleteFrom('users')
        .where('id', '=', viewer?.id ?? '')
        .compile(),
      db
        .updateTable('users')
        .set({ enabled: 0 })
        .where('id', '=', admin?.id ?? '')
        .compile(),
    ])
    const before = await dumpOrganisation(database)
    const { users } = await start()
    assert.deepEqual(await dumpOrganisation(database), before)
    assert.deepEqual(
      users.map(({ name, password }) => [name, password !== undefined]),
      [
        ['demo-owner', false],
        ['demo-auditor', true],
      ],
    )
  })

  test('recreates domains and projects that its servers need', async (t) => {
    const { start, database } = await startDemo(t)
    await start({ servers: 20 })
    const [, project] = demoProjects(20)
    const { db } = database
    const lost = db.deleteFrom('projects').where('id', '=', project?.id ?? '')
    await database.commitIdentity([lost.compile()])
    await start()
    const ids = (await db.selectFrom('projects').select('id').execute()).map(({ id }) => id)
    assert.ok(ids.includes(project?.id ?? ''))
  })

  test('grows, but does not shrink', async (t) => {
    const { start, listServers, database } = await startDemo(t)
    await start({ servers: 30 })
    const people = await database.db.selectFrom('users').select('id').execute()
    const before = await listServers()
    await start({ servers: 200 })
    const there = await listServers()
    const deletedState = 2
    // The simulation goes on meanwhile: it deletes servers and creates others.
    const live = there.filter(({ state }) => state !== deletedState)
    assert.ok(live.length > 180 && live.length <= 200, String(live.length))
    const ids = new Set(there.map(({ id }) => id))
    for (const { id } of before) assert.ok(ids.has(id))
    assert.deepEqual(await database.db.selectFrom('users').select('id').execute(), people)
    await assert.rejects(start({ servers: 199 }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /^--demo-servers is less than the 200 [^\n]*$/)
      return true
    })
  })

  test('uses other names if its own are taken', async (t) => {
    const { start, database } = await startDemo(t)
    const { db } = database
    const row = { id: 'another', name: 'RESEARCH', name_key: 'research', description: '' }
    await database.commitIdentity([
      db
        .insertInto('domains')
        .values({ ...row, enabled: 1, created_at: 0 })
        .compile(),
    ])
    const { users } = await start({ servers: 5 })
    assert.equal(users[0]?.domain, 'Research-demo')
  })

  const atNight = isNightly ? test : () => {}
  atNight('creates a thousand projects at once, with an audit event for each', async (t) => {
    const { start, database } = await startDemo(t)
    // Nobody needs a million servers to see it.
    const { db } = database
    await start({ servers: 1 })
    const key = { demoPassword: () => assert.fail('nobody is to be made') }
    const seedDemoOrganisation = createSeedDemoOrganisation({
      registry: createRegistry(database),
      hasher,
      key,
      clock,
    })
    await seedDemoOrganisation({
      domains: demoDomains,
      projects: demoProjects(2_000_000),
      people: [],
    })
    const count = async (table: 'projects' | 'events') => {
      const rows = await db.selectFrom(table).select('id').execute()
      return rows.length
    }
    assert.equal(await count('projects'), 1 + 2_000)
    assert.ok((await count('events')) >= 2_000 + demoDomains.length + demoPeople.length)
  })

  test('has a welcome text with all users and a valid shell command', async (t) => {
    const { start } = await startDemo(t)
    const demo = await start({ servers: 5 })
    const welcome = welcomeText(demo, 'http://id.example', 'http://api.example')
    for (const { name, password = '' } of demo.users) {
      assert.match(welcome, new RegExp(`^  ${name} +${password} +Research `, 'm'))
    }
    assert.doesNotMatch(welcomeText(demo, undefined, 'http://api.example'), /curl/)
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
