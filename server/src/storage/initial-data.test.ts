import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInRoles } from '../domain/identity/built-in-roles.ts'
import { onBothEngines } from '../testing/engines.ts'
import { createStorageLocation, dumpTables } from '../testing/open-storage.ts'
import { createDirectory } from './identity/directory.ts'
import { createInitialDataStore } from './initial-data.ts'

const now = Date.UTC(2026, 0, 1)

onBothEngines('the initial data', (engine) => {
  const countRows = (dump: Record<string, string[]>) =>
    Object.fromEntries(
      Object.entries(dump)
        .map(([table, rows]) => [table, rows.length] as const)
        .filter(([, count]) => count > 0),
    )
  const whole = {
    assignments: 2,
    checks: 10,
    domains: 1,
    fleet_numbers: 1,
    fleet_version: 1,
    server_rendering: 1,
    identity_version: 1,
    policies: builtInRoles.length,
    projects: 1,
    role_policies: builtInRoles.length,
    roles: builtInRoles.length,
    settings: 1,
    users: 1,
    // The default of the columns that migrations have added to servers.
    words: 1,
  }

  test('is created once, also when several processes start together', async (t) => {
    const location = await createStorageLocation(engine)
    t.after(() => location.remove())
    const first = await location.open()
    const second = engine === 'postgres' ? await location.open() : first
    assert.equal(await createInitialDataStore(first).exists(), false)

    const wins = await Promise.all(
      [first, second, first, second].map((database, index) =>
        createInitialDataStore(database).create(`hash ${index}`, now),
      ),
    )
    assert.equal(wins.filter(Boolean).length, 1)
    assert.equal(await createInitialDataStore(second).exists(), true)
    assert.deepEqual(countRows(await dumpTables(first)), whole)

    const before = await dumpTables(first)
    assert.equal(await createInitialDataStore(second).create('hash of a later start', now), false)
    assert.deepEqual(await dumpTables(first), before)
    const winner = `hash ${wins.indexOf(true)}`
    const { credentials } = await createDirectory(first).findCredentials({ name: 'sysadmin' })
    assert.equal(credentials?.passwordHash, winner)
  })

  test('gives the first admin roles in the system and in its project, and nothing else', async (t) => {
    const location = await createStorageLocation(engine)
    t.after(() => location.remove())
    const database = await location.open()
    await createInitialDataStore(database).create('hash', now)
    const directory = createDirectory(database)
    const { credentials } = await directory.findCredentials({
      name: 'sysadmin',
      domain: { name: 'Default' },
    })
    const standing = await directory.loadUserStatus(credentials?.user.id ?? '')
    assert.deepEqual(
      standing?.assignments.map(({ role, target }) => [
        role.name,
        target.kind,
        target.kind === 'project' && target.project.name,
        role.policies.map(({ scope, enabled, rules }) => ({ scope, enabled, rules })),
      ]),
      [
        ['admin', 'system', false, [policyOf('admin')]],
        ['project_owner', 'project', 'system', [policyOf('project_owner')]],
      ],
    )
  })

  test('SEC-16: has a different id for every row of every kind', async (t) => {
    const location = await createStorageLocation(engine)
    t.after(() => location.remove())
    const database = await location.open()
    await createInitialDataStore(database).create('hash', now)
    const kinds = ['domains', 'projects', 'users', 'groups', 'roles', 'policies', 'assignments']
    const dump = await dumpTables(database)
    const ids = kinds.flatMap((kind) =>
      (dump[kind] ?? []).map((row) => (JSON.parse(row) as { id: string }).id),
    )
    assert.ok(ids.length > 15)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids.filter((id) => id !== 'default')) assert.match(id, /^[0-9a-f]{32}$/)
  })
})

function policyOf(roleName: string) {
  const role = builtInRoles.find(({ name }) => name === roleName)
  return { scope: role?.scope, enabled: true, rules: role?.rules }
}
