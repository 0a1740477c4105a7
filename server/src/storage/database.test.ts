import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import { onBothEngines } from '../testing/engines.ts'
import { createStorageLocation, openStorage, type TestStorage } from '../testing/open-storage.ts'
import type { Database } from './database.ts'
import { Violation } from './violation.ts'

onBothEngines('a database', (engine) => {
  let storage: TestStorage
  let database: Database
  before(async () => {
    storage = await openStorage(engine)
    database = storage.database
  })
  after(() => storage.close())

  const put = (key: string, value = ''): CompiledQuery =>
    database.db.insertInto('settings').values({ key, value }).compile()
  const keysLike = async (prefix: string) => {
    const rows = await database.db
      .selectFrom('settings')
      .where('key', 'like', `${prefix}%`)
      .select('key')
      .orderBy('key')
      .execute()
    return rows.map(({ key }) => key)
  }
  const isViolation = (kind: Violation['kind']) => (error: unknown) =>
    error instanceof Violation && error.kind === kind

  test('returns the result of each statement of a commit', async () => {
    const { db } = database
    const [inserted, updated, deleted, returned] = await database.commit([
      db
        .insertInto('settings')
        .values(['a', 'b', 'c'].map((key) => ({ key: `did-${key}`, value: '' })))
        .compile(),
      db.updateTable('settings').set({ value: 'x' }).where('key', 'like', 'did-%').compile(),
      db.deleteFrom('settings').where('key', '=', 'did-a').compile(),
      db
        .updateTable('settings')
        .set({ value: 'y' })
        .where('key', '=', 'did-b')
        .returning(['key', 'value'])
        .compile(),
    ])
    assert.deepEqual(
      [inserted?.changes, updated?.changes, deleted?.changes, returned?.changes],
      [3, 3, 1, 1],
    )
    assert.deepEqual(returned?.rows, [{ key: 'did-b', value: 'y' }])
  })

  test('commits all statements or none', async () => {
    const before = database.currentVersion()
    const statements = [put('half-1'), put('half-2'), put('half-1')]
    await assert.rejects(database.commit(statements), isViolation('unique'))
    await assert.rejects(database.commitIdentity(statements), isViolation('unique'))
    assert.deepEqual(await keysLike('half-'), [])
    assert.equal(database.currentVersion(), before)
    const { version } = await database.db
      .selectFrom('identity_version')
      .select('version')
      .executeTakeFirstOrThrow()
    assert.equal(version, before)
  })

  test('rolls back the statements before one with a syntax error', async () => {
    const nonsense = { ...put('nonsense'), sql: 'insert into nowhere values (1)', parameters: [] }
    await assert.rejects(database.commit([put('unread'), nonsense]))
    assert.deepEqual(await keysLike('unread'), [])
  })

  test('lets commits that run together succeed or fail alone', async () => {
    await database.commit([put('taken')])
    const units = Array.from({ length: 30 }, (_, index) => {
      const name = `unit-${String(index).padStart(2, '0')}`
      const isBad = index % 3 === 1
      return { name, isBad, statements: [put(name), put(isBad ? 'taken' : `${name}-second`)] }
    })
    const alone = [put('unit-single'), put('taken')].map((statement) => [statement])
    const results = await Promise.allSettled(
      [...units.map(({ statements }) => statements), ...alone].map(database.commit),
    )
    assert.deepEqual(
      results.map(({ status }) => status === 'rejected'),
      [...units.map(({ isBad }) => isBad), false, true],
    )
    const expected = units
      .filter(({ isBad }) => !isBad)
      .flatMap(({ name }) => [name, `${name}-second`])
    assert.deepEqual(await keysLike('unit-'), [...expected, 'unit-single'])
  })

  test('accepts commits after a failed one', async () => {
    await assert.rejects(database.commit([put('again'), put('again')]))
    await database.commit([put('again')])
    assert.deepEqual(await keysLike('again'), ['again'])
  })

  test('reports unique and foreign key violations as such', async () => {
    const orphan = { group_id: 'nobody', user_id: 'nobody' }
    const { db } = database
    await database.commit([put('name')])
    await assert.rejects(database.commit([put('name')]), isViolation('unique'))
    await assert.rejects(
      database.commit([db.insertInto('group_members').values(orphan).compile()]),
      isViolation('foreign-key'),
    )
  })

  test('SEC-14: rejects a boolean other than 0 and 1', async () => {
    for (const enabled of [2, -1, null, 'true', 'yes'] as unknown as number[]) {
      const change = database.db.updateTable('users').set({ enabled }).compile()
      await assert.rejects(database.commit([change]), `enabled = ${enabled}`)
    }
    const rows = await database.db.selectFrom('users').select('enabled').execute()
    assert.deepEqual(
      rows.map((row) => row.enabled),
      [1],
    )
  })

  test('raises the identity version with each identity commit, and with no other', async () => {
    const first = database.currentVersion() ?? Number.NaN
    await database.commit([put('other')])
    assert.equal(database.currentVersion(), first)
    const outcomes = await database.commitIdentity([put('the version')])
    assert.equal(outcomes.length, 1)
    assert.equal(database.currentVersion(), first + 1)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => database.commitIdentity([put(`setting-${index}`)])),
    )
    assert.equal(database.currentVersion(), first + 21)
  })

  test('answers a ping', async () => {
    await database.ping()
  })
})

onBothEngines('a database that was closed', (engine) => {
  test('has what was committed, and its version, when it is opened again', async (context) => {
    const location = await createStorageLocation(engine)
    context.after(() => location.remove())
    const first = await location.open()
    await first.commitIdentity([
      first.db.insertInto('settings').values({ key: 'kept', value: 'yes' }).compile(),
    ])
    await first.close()
    const second = await location.open()
    const rows = await second.db.selectFrom('settings').selectAll().execute()
    assert.deepEqual({ ...rows[0] }, { key: 'kept', value: 'yes' })
    assert.equal(second.currentVersion(), 1)
  })
})
