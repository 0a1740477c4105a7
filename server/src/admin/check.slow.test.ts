import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, onBothEngines } from '../testing/engines.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'

/** Overwrites the first page of an index. */
function damagePage(path: string, index: string): void {
  const database = new DatabaseSync(path)
  const row = database
    .prepare('select rootpage, page_size from sqlite_schema, pragma_page_size where name = ?')
    .get(index)
  database.close()
  const [page, size] = [Number(row?.['rootpage']), Number(row?.['page_size'])]
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  closeSync(file)
}

onBothEngines('muster admin check', (engine) => {
  let installation: Installation
  let platform: TestPlatform
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-check-'))
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    installation = { folder, databaseUrl }
    platform = await startPlatform({ engine, beside: installation })
  })
  after(() => {
    rmSync(installation.folder, { recursive: true })
  })
  const check = () => runAdminCommand(installation, 'check')

  /** Changes the data past Muster and its constraints. */
  async function damage(statements: { sqlite: string; postgres: string }): Promise<void> {
    if (installation.databaseUrl === undefined) {
      const file = new DatabaseSync(join(installation.folder, 'data', 'muster.db'))
      file.exec('pragma foreign_keys = off')
      file.exec(statements.sqlite)
      file.close()
      return
    }
    const client = new pg.Client(installation.databaseUrl)
    await client.connect()
    await client.query(`set session_replication_role = replica; ${statements.postgres}`)
    await client.end()
  }
  const both = (statement: string) => ({ sqlite: statement, postgres: statement })

  const damages: readonly {
    readonly kind: string
    readonly statements: { sqlite: string; postgres: string }
    readonly problem: RegExp
  }[] = [
    {
      kind: 'a broken foreign key',
      statements: both(`insert into group_members (group_id, user_id) values ('g', 'u')`),
      problem: /rows of group_members whose group_id is not in groups: 1$/m,
    },
    {
      kind: 'an orphaned row',
      statements: both(`insert into server_texts (server, text, starts) values (7, 'a', 'b')`),
      problem: /rows of server_texts without their server: 1$/m,
    },
    {
      kind: 'a wrong count or search index',
      statements: {
        sqlite: `insert into server_search (rowid, text) values (7, 'text')`,
        postgres: `insert into server_counts values ('status', 1, 1, 1, 7, 7, 7, 7)`,
      },
      problem:
        /entries of server_search without a server in use: 1$|stored counts that differ.*: 1$/m,
    },
    {
      kind: 'an encrypted value of another key',
      statements:
        both(`insert into cloudaccounts (id, name, name_key, provider, brand, address, credentials, options,
        project_id, period, enabled, mapping, created_at, revision) values
        ('a', 'lab', 'lab', 'AWS', 'AWS', '', 'v1.AAAA', '{}', 'p', 60, 1, '[]', 1, 1)`),
      problem: /cannot decrypt the credentials of account lab$/m,
    },
  ]

  test('finds nothing wrong with a new database, while the server runs', async () => {
    const { status, stdout } = await check()
    assert.match(stdout, /^No problems found\.$/m)
    assert.equal(stdout.match(/^ok /gm)?.length, 6)
    assert.equal(status, 0)
  })

  test('finds each kind of problem, while the server runs and when it is stopped', async () => {
    for (const { statements } of damages) await damage(statements)
    const { status, stdout: running } = await check()
    assert.equal(status, 1)
    for (const { kind, problem } of damages) assert.match(running, problem, kind)
    await platform.close()
    const { stdout } = await check()
    for (const { kind, problem } of damages) assert.match(stdout, problem, kind)
  })

  test('finds damaged data', async () => {
    const file = join(installation.folder, 'data', 'muster.db')
    if (installation.databaseUrl === undefined) damagePage(file, 'hosts_name')
    await damage({
      sqlite: '',
      postgres: `update pg_index set indisvalid = false where indexrelid = 'hosts_name'::regclass`,
    })
    const { status, stdout } = await check()
    assert.match(stdout, /^PROBLEM  integrity/m)
    assert.match(stdout, /the index hosts_name is not valid|Tree \d+ page \d+/)
    assert.equal(status, 1)
  })

  test('finds a missing key and the schema of another version', async () => {
    const key = join(installation.folder, 'secret.key')
    renameSync(key, `${key}.moved`)
    assert.match((await check()).stdout, /the secret key .* is missing/)
    await damage(both(`delete from kysely_migration where name like '0013%'`))
    assert.match((await check()).stdout, /the migration 0013-server-combinations is missing: run/)
    await damage(both(`insert into kysely_migration values ('0999-later', '1')`))
    assert.match((await check()).stdout, /newer version of Muster/)
  })
})
