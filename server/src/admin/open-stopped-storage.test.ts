import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { ConfigError } from '../config/parsers.ts'
import { copyMigratedFile, createTestDatabase, onBothEngines } from '../testing/engines.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { prepareDataDirectory } from '../storage/data-directory.ts'
import { openPostgres } from '../storage/postgres/open.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import { requireDatabaseFile } from './open-stopped-storage.ts'

onBothEngines('an admin command on a stopped server', (engine) => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-stopped-'))
  })
  after(() => rmSync(folder, { recursive: true }))
  const reset = (installation: Installation) => runAdminCommand(installation, 'reset-password')

  test('refuses a place without data, and creates nothing there', async () => {
    const databaseUrl = engine === 'postgres' ? await createTestDatabase() : undefined
    await assert.rejects(reset({ folder, databaseUrl }), ConfigError)
    assert.equal(existsSync(join(folder, 'data')), false)
    assert.equal(existsSync(join(folder, 'secret.key')), false)
  })

  test('refuses a database of an older version, and does not migrate it', async () => {
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    const dataDir = join(folder, 'data')
    if (databaseUrl === undefined) {
      copyMigratedFile(dataDir)
      prepareDataDirectory(dataDir)
    }
    const inspect = async () => {}
    const open = () =>
      databaseUrl === undefined ? openSqlite(dataDir, inspect) : openPostgres(databaseUrl, inspect)
    const database = await open()
    await database.commit([
      sql`delete from kysely_migration where name like '0013%'`.compile(database.db),
    ])
    await database.close()
    await assert.rejects(reset({ folder, databaseUrl }), /older version of Muster: back it up/)
  })
})

describe('an admin command on a data directory', () => {
  test('does not take a directory without access for an empty one', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-stopped-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const isRoot = process.getuid?.() === 0
    if (!isRoot) chmodSync(folder, 0)
    try {
      if (isRoot) process.seteuid?.(12_345)
      assert.throws(() => requireDatabaseFile(folder), /no permission .*as the user of the server/)
    } finally {
      if (isRoot) process.seteuid?.(0)
      chmodSync(folder, 0o700)
    }
  })

  test('refuses the files of another user', (t) => {
    if (process.getuid?.() !== 0) return t.diagnostic('not tested: only root can change the owner')
    const folder = mkdtempSync(join(tmpdir(), 'muster-stopped-'))
    t.after(() => rmSync(folder, { recursive: true }))
    copyMigratedFile(join(folder, 'data'))
    chownSync(join(folder, 'data', 'muster.db'), 12_345, 12_345)
    return assert.rejects(
      runAdminCommand({ folder, databaseUrl: undefined }, 'reset-password'),
      /belongs to another user: .*sudo -u '#12345'/,
    )
  })
})
