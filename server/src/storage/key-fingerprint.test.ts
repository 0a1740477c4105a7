import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { loginAdmin } from '../testing/client.ts'
import { createTestDatabase, onBothEngines } from '../testing/engines.ts'
import { createStorageLocation, dumpTables } from '../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { findKeyFingerprints, storeKeyFingerprint } from './key-fingerprint.ts'

onBothEngines('the fingerprint of the secret key', (engine) => {
  test('is stored once and never replaced', async (t) => {
    const location = await createStorageLocation(engine)
    t.after(() => location.remove())
    const database = await location.open()
    assert.equal(await findKeyFingerprints(database.db), undefined)
    await Promise.all(['a', 'b', 'c'].map((text) => storeKeyFingerprint(database, text)))
    const kept = await findKeyFingerprints(database.db)
    await storeKeyFingerprint(database, 'later')
    assert.equal(await findKeyFingerprints(database.db), kept)
    assert.equal((await dumpTables(database))['settings']?.length, 1)
  })
})

onBothEngines('a platform and its secret key', (engine) => {
  /** An installation whose storage outlives the platforms started on it. */
  let installation: TestPlatform
  let key: string
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-key-'))
    const databaseUrl = engine === 'postgres' ? await createTestDatabase() : undefined
    installation = { folder, databaseUrl } as TestPlatform
    key = join(folder, 'secret.key')
  })
  after(() => rmSync(installation.folder, { recursive: true, force: true }))

  const start = () => startPlatform({ engine, beside: installation })
  const writeKey = () =>
    writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' })

  /** The names of the tables, asked for past Muster. */
  async function listTables(statement?: string): Promise<string[]> {
    if (installation.databaseUrl !== undefined) {
      const client = new pg.Client(installation.databaseUrl)
      await client.connect()
      if (statement !== undefined) await client.query(statement)
      const { rows } = await client.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
      )
      await client.end()
      return rows.map(({ name }) => name)
    }
    const dataDir = join(installation.folder, 'data')
    prepareDataDirectory(dataDir)
    const file = new DatabaseSync(join(dataDir, 'muster.db'))
    if (statement !== undefined) file.exec(statement)
    const rows = file.prepare("select name from sqlite_schema where type = 'table' order by 1")
    const names = rows.all().map((row) => String(row['name']))
    file.close()
    return names
  }

  test('REL-23: data of another key is rejected before a table is created', async () => {
    const foreign = `create table settings (key text primary key, value text not null);
      insert into settings values ('secret_key_fingerprint', 'that of another key')`
    assert.deepEqual(await listTables(foreign), ['settings'])
    writeKey()
    await assert.rejects(start(), /does not belong to this database/)
    rmSync(key)
    await assert.rejects(start(), /is missing, but the database was created with one/)
    assert.equal(existsSync(key), false, 'a new key would look as if all were well')
    assert.deepEqual(await listTables('drop table settings'), [])
  })

  test('REL-23: the right key opens the data, also after a wrong one was rejected', async () => {
    const first = await start()
    await first.close()
    const made = readFileSync(key, 'utf8')

    renameSync(key, `${key}.kept`)
    writeKey()
    await assert.rejects(start(), /does not belong to this database/)
    renameSync(`${key}.kept`, key)

    const again = await start()
    await loginAdmin(again.url)
    await again.close()
    assert.equal(readFileSync(key, 'utf8'), made)
  })
})
