import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { onBothEngines } from '../../testing/engines.ts'
import { eventually } from '../../testing/eventually.ts'
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

  if (engine === 'postgres') {
    test('of a newer version that run at the moment are waited for, and then refused', async () => {
      const newer = await location.open()
      const older = await location.open()
      let opening: Promise<Database> | undefined
      await newer.db.transaction().execute(async (transaction) => {
        // The lock of Kysely's migrator.
        await sql`select pg_advisory_xact_lock(3853314791062309107)`.execute(transaction)
        await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(
          transaction,
        )
        opening = location.open()
        opening.catch(() => {})
        await eventually('the start waits for the lock', async () => {
          const { rows } = await sql`select 1 from pg_locks
            where locktype = 'advisory' and not granted`.execute(older.db)
          return rows.length > 0
        })
      })
      await assert.rejects(opening ?? Promise.resolve(), /9999-later/)
      await sql`delete from kysely_migration where name = '9999-later'`.execute(newer.db)
      await Promise.all([newer.close(), older.close()])
    })
  }

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
