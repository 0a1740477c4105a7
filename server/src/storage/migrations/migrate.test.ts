import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { onBothEngines } from '../../testing/engines.ts'
import {
  createStorageLocation,
  dumpTables,
  type StorageLocation,
} from '../../testing/open-storage.ts'
import type { Database } from '../database.ts'

/** The migrations as the folder has them. */
const files = readdirSync(import.meta.dirname)
  .filter((file) => /^\d/.test(file) && !file.endsWith('.test.ts'))
  .map((file) => file.replace(/\.ts$/, ''))

const ranMigrations = async ({ db }: Database) => {
  const { rows } = await sql<{ name: string; timestamp: string }>`
    select name, timestamp from kysely_migration order by timestamp, name`.execute(db)
  return rows
}

onBothEngines('the migrations', (engine) => {
  let location: StorageLocation
  before(async () => {
    location = await createStorageLocation(engine)
  })
  after(() => location.remove())

  test('all run in the order of their numbers', async () => {
    const database = await location.open()
    const ran = await ranMigrations(database)
    await database.close()
    assert.deepEqual(
      ran.map(({ name }) => name),
      files.toSorted(),
    )
    const numbers = files.toSorted().map((file) => Number(file.slice(0, 4)))
    assert.equal(new Set(numbers).size, numbers.length, 'each number is used once')
  })

  test('run once: a second start changes nothing', async () => {
    const first = await location.open()
    await first.commitIdentity([
      first.db.insertInto('settings').values({ key: 'mine', value: 'kept' }).compile(),
    ])
    const ran = await ranMigrations(first)
    const dump = await dumpTables(first)
    await first.close()

    const second = await location.open()
    assert.deepEqual(await ranMigrations(second), ran)
    assert.deepEqual(await dumpTables(second), dump)
    assert.equal(dump['settings']?.length, 1)
    await second.close()
  })

  test('REL-22: refuse a database of a newer version, and say so', async () => {
    const database = await location.open()
    await database.commit([
      sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`.compile(
        database.db,
      ),
    ])
    await database.close()
    await assert.rejects(
      location.open(),
      /^Error: The data was written by a newer version of Muster \(it has the migration 9999-later\)\. Start that version/,
    )
  })
})

test('processes that start together on a new PostgreSQL migrate one after another', async (context) => {
  const location = await createStorageLocation('postgres')
  context.after(() => location.remove())
  const [first] = await Promise.all(Array.from({ length: 4 }, () => location.open()))
  assert.ok(first)
  assert.equal((await ranMigrations(first)).length, files.length)
  assert.deepEqual((await dumpTables(first))['identity_version'], ['{"id":1,"version":0}'])
})
