import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { defaultServer } from '../../domain/inventory/build-server.ts'
import { createTask, musterItself } from '../../domain/tasks/accept-task.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import { makeAccount } from '../../testing/inventory-world/in-memory-sync.ts'
import {
  createStorageLocation,
  dumpTables,
  openStorage,
  type StorageLocation,
  type TestStorage,
} from '../../testing/open-storage.ts'
import { createInsertEvent } from '../event-store.ts'
import { storeKeyFingerprint } from '../key-fingerprint.ts'
import { inspectPostgres } from '../postgres/open.ts'
import { createAccountStore } from '../sources/account-store.ts'
import { inspectFile } from '../sqlite/open.ts'
import type { Tables } from '../tables.ts'
import { createTaskStore } from '../tasks/task-store.ts'
import { ReplaceError } from './format.ts'
import { restorePostgres } from './restore-postgres.ts'
import { restoreSqlite } from './restore-sqlite.ts'
import { allTables, savedTables } from './saved-tables.ts'
import { writeBackup } from './write-backup.ts'

/** More than one chunk of rows. */
const manyEvents = 703

const snapshotOf = (
  { url, folder }: StorageLocation,
  read: (db: Kysely<Tables>) => Promise<void>,
) =>
  url === undefined
    ? inspectFile(join(folder, 'muster.db'), read)
    : inspectPostgres(url, (connection) =>
        connection.transaction().setIsolationLevel('repeatable read').execute(read),
      )

const replacing = { isReplacing: true, isDroppingUnknown: false }

/** Fills a storage with what must not act after a restore. */
async function fill({ database }: TestStorage): Promise<void> {
  const { db, commit } = database
  await storeKeyFingerprint(database, 'key')
  if (database.engine === 'postgres') {
    // A table of another schema, which is not Muster's.
    await sql`create schema zold`.execute(db)
    await sql`create table zold.users (id text, name text)`.execute(db)
  }
  const secrets = { encrypt: () => 'encrypted' } as unknown as Parameters<
    typeof createAccountStore
  >[1]
  const account = makeAccount({ provider: 'Simulator', access: 'manage' })
  assert.ok(await createAccountStore(database, secrets).insert(account, {}, makeEvent()))
  const tasks = ['queued', 'running', 'succeeded'].map((status) => ({
    ...createTask('delete', {}, { server: { ...defaultServer, id: status } }, musterItself, 1),
    id: status,
    status: 'succeeded' as const,
    isShown: false,
  }))
  const binned = {
    server_id: 'binned',
    account_id: account.id,
    delete_disks: true,
    delete_snapshots: false,
    auto_delete_at: 7,
  }
  assert.ok(await createTaskStore(database, Date.now).accept({ tasks, binned }))
  for (const status of ['queued', 'running']) {
    await commit([db.updateTable('tasks').set({ status }).where('id', '=', status).compile()])
  }
  const insertEvent = createInsertEvent(db)
  await commit(Array.from({ length: manyEvents }, () => insertEvent(makeEvent())))
  await commit([
    db.updateTable('account_syncs').set({ runner: 'r', leased_until: 9, is_running: 1 }).compile(),
    db
      .insertInto('event_sinks')
      .values({
        name: 'webhook',
        runner: 'r',
        leased_until: 9,
        position: 3,
        event_id: 'e',
        attempts: 2,
        failing_since: 0,
      })
      .compile(),
  ])
}

test('a backup has every table but those of logins and of the last deliveries', () => {
  assert.deepEqual(
    allTables.filter((name) => !savedTables.includes(name)),
    ['tokens', 'sessions', 'password_links', 'event_deliveries', 'action_tickets'],
  )
})

onBothEngines('a backup', (engine) => {
  let source: TestStorage
  let file: string
  let saved: Awaited<ReturnType<typeof dumpTables>>
  const progress: number[][] = []
  before(async () => {
    source = await openStorage(engine)
    await fill(source)
    saved = await dumpTables(source.database)
    await source.database.close()
    file = join(source.location.folder, 'backup')
    await snapshotOf(source.location, async (db) => {
      await writeBackup(db, file, '1.2.3', (...rows) => progress.push(rows))
    })
  })
  after(() => source.close())

  const restore = (location: StorageLocation, options = replacing) =>
    location.url === undefined
      ? restoreSqlite(location.folder, file, () => {})
      : restorePostgres(location.url, file, options, () => {})

  /** So each engine is read once and written once. */
  const target = engine === 'sqlite' ? 'postgres' : 'sqlite'
  test(`has every row, and what was about to act does not, in ${target}`, async (t) => {
    const location = await createStorageLocation(target)
    t.after(() => location.remove())
    await restore(location)
    const dump = await dumpTables(await location.open())
    const rowsOf = (rows: readonly string[] = []) =>
      rows.map((row) => JSON.parse(row) as Record<string, unknown>)
    /** What a restore changes, by table. */
    const changed = new Set([
      'events',
      'cloudaccounts',
      'tasks',
      'recycle_bin',
      'account_syncs',
      'event_sinks',
      'change_sinks',
      'identity_version',
      'fleet_version',
      'scope_versions',
    ])
    for (const name of allTables) {
      const isSaved = (savedTables as readonly string[]).includes(name)
      if (!isSaved) assert.deepEqual(dump[name], [], name)
      else if (!changed.has(name)) assert.deepEqual(dump[name], saved[name], name)
      else if (name !== 'events') assert.equal(dump[name]?.length, saved[name]?.length, name)
    }
    const events = rowsOf(dump['events'])
    const added = events.filter(({ action }) => action === 'restore')
    assert.deepEqual([added.length, events.length], [1, (saved['events']?.length ?? 0) + 1])
    assert.deepEqual(
      rowsOf(dump['cloudaccounts']).map(({ access }) => access),
      ['observe'],
    )
    const tasks = rowsOf(dump['tasks']).map(({ id, status, error_class, finished_at }) => [
      id,
      status,
      error_class,
      finished_at !== null,
    ])
    assert.deepEqual(tasks, [
      ['queued', 'unknown', 'interrupted', true],
      ['running', 'unknown', 'interrupted', true],
      ['succeeded', 'succeeded', '', false],
    ])
    assert.deepEqual(
      rowsOf(dump['recycle_bin']).map(({ auto_delete_at }) => Number(auto_delete_at)),
      [0],
    )
    const syncs = rowsOf(dump['account_syncs'])
    assert.deepEqual(
      syncs.map(({ runner, leased_until, is_running }) => [
        runner,
        Number(leased_until),
        Number(is_running),
      ]),
      [['', 0, 0]],
    )
    const sinks = rowsOf(dump['event_sinks'])
    assert.deepEqual(
      sinks.map(({ runner, leased_until, position }) => [
        runner,
        Number(leased_until),
        Number(position),
      ]),
      [['', 0, 3]],
    )
    for (const name of ['identity_version', 'fleet_version', 'scope_versions']) {
      const [versions, earlier] = [dump[name], saved[name]].map((rows) =>
        rowsOf(rows).map(({ version }) => Number(version)),
      )
      assert.deepEqual(
        versions,
        earlier?.map((version) => version + 2 ** 20),
        name,
      )
    }
  })

  test('tells its progress', () => {
    const total = savedTables.reduce((sum, name) => sum + (saved[name]?.length ?? 0), 0)
    assert.deepEqual(progress.at(-1), [total, total])
  })

  test('takes the place of other data only on request', async (t) => {
    const location = await createStorageLocation(engine, 'migrated')
    t.after(() => location.remove())
    if (location.url === undefined) {
      const journal = join(location.folder, 'muster.db-journal')
      writeFileSync(journal, '')
      const replaced = await restoreSqlite(location.folder, file, () => {})
      assert.ok(replaced !== undefined && existsSync(replaced))
      // SQLite would take it for a part of the new file.
      assert.deepEqual([existsSync(journal), existsSync(`${replaced}-journal`)], [false, true])
      assert.ok(!readdirSync(location.folder).some((name) => name.includes('restoring')))
      return
    }
    await assert.rejects(restore(location, { ...replacing, isReplacing: false }), ReplaceError)
    const database = await location.open()
    await assert.rejects(restore(location), /Muster is running at/)
    await sql`create table later (id text)`.execute(database.db)
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`.execute(
      database.db,
    )
    const unknown = assert.rejects(
      restore(location),
      /tables that this version does not know: later/,
    )
    // The restore has seen the sessions by then, and waits for their end.
    await setTimeout(300)
    await database.close()
    await unknown
    await restore(location, { ...replacing, isDroppingUnknown: true })
    const restored = await location.open()
    assert.equal((await dumpTables(restored))['later'], undefined)
  })

  test('that fails leaves no file, but that of another one', async () => {
    const write = (name: string, onProgress = () => {}) =>
      snapshotOf(source.location, async (db) => {
        await writeBackup(db, name, '1.2.3', onProgress)
      })
    const stopped = () => {
      throw new Error('stopped')
    }
    await assert.rejects(write(`${file}.failed`, stopped), /stopped/)
    assert.ok(!existsSync(`${file}.failed`) && !existsSync(`${file}.failed.partial`))
    writeFileSync(`${file}.other.partial`, 'draft')
    await assert.rejects(write(`${file}.other`), /EEXIST/)
    assert.ok(!existsSync(`${file}.other`) && existsSync(`${file}.other.partial`))
  })

  test('is not written over another file, nor of an empty database', async (t) => {
    const write = (location: StorageLocation, name: string) =>
      snapshotOf(location, async (db) => {
        await writeBackup(db, name, '1.2.3', () => {})
      })
    await assert.rejects(write(source.location, file), /exists already/)
    const empty = await createStorageLocation(engine)
    t.after(() => empty.remove())
    await assert.rejects(write(empty, `${file}.empty`), /the database is empty/)
  })
})
