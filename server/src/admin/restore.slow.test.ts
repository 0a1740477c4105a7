import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { ConfigError } from '../config/parsers.ts'
import { createAccountStore } from '../storage/sources/account-store.ts'
import { defaultServer } from '../domain/inventory/build-server.ts'
import { createTask, musterItself } from '../domain/tasks/accept-task.ts'
import { createSourceState } from '../storage/sources/source-state.ts'
import { createTaskStore } from '../storage/tasks/task-store.ts'
import { createTestDatabase, onBothEngines } from '../testing/engines.ts'
import { makeEvent } from '../testing/identity-world/identity-records.ts'
import { makeAccount } from '../testing/inventory-world/in-memory-sync.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { startPlatform } from '../testing/start-platform.ts'
import { loadSecretKey } from '../vault/secret-key.ts'

onBothEngines('muster admin restore', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-restore-'))
  const backup = join(folder, 'muster.backup')
  const database = join(folder, 'data', 'muster.db')
  const stored = { key: 'server', value: 'stopped', version: 0 }
  let installation: Installation
  let taskId = ''
  before(async () => {
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    installation = { folder, databaseUrl }
    const platform = await startPlatform({ engine, beside: installation })
    const accounts = createAccountStore(
      platform.database,
      loadSecretKey(join(platform.folder, 'secret.key')),
    )
    const account = makeAccount({ provider: 'Simulator', enabled: false, access: 'manage' })
    assert.ok(await accounts.insert(account, {}, makeEvent()))
    await createSourceState(platform.database)('account').put(stored)
    const server = { ...defaultServer, id: 'binned' }
    const tasks = createTaskStore(platform.database, Date.now)
    const queued = createTask('start', {}, { server }, musterItself, 1)
    const task = { ...queued, status: 'succeeded', isShown: false } as const
    const binned = {
      server_id: server.id,
      account_id: 'account',
      delete_disks: true,
      delete_snapshots: false,
      auto_delete_at: 7,
    }
    assert.ok(await tasks.accept({ tasks: [task], binned }))
    const { db, commit } = platform.database
    await commit([db.updateTable('tasks').set({ status: 'queued' }).compile()])
    taskId = task.id
    await platform.close()
    assert.equal((await run('backup', backup)).status, 0)
  })
  after(() => rmSync(folder, { recursive: true }))
  const sessions = `select from pg_stat_activity
    where datname = current_database() and application_name = 'muster'`
  const run = async (...args: string[]) => {
    // PostgreSQL ends sessions shortly after their connections, and a restore refuses to run beside one.
    if (engine === 'postgres')
      await eventually(
        'no other session uses the database',
        async () => (await query(sessions)).length === 0,
      )
    return await runAdminCommand(installation, ...args)
  }

  async function query(text: string): Promise<unknown[]> {
    const client = new pg.Client(installation.databaseUrl)
    await client.connect()
    const { rows } = await client.query(text).finally(() => client.end())
    return rows
  }

  test('refuses a backup of a newer version, also with --check', async () => {
    const file = join(folder, 'newer.backup')
    const lines = zstdDecompressSync(readFileSync(backup)).toString()
    const newer = lines.replace(/"schema":"[^"]+"/, '"schema":"0999-later"')
    writeFileSync(file, zstdCompressSync(newer))
    await assert.rejects(run('restore', file, '--check'), /newer\.backup: it is of a newer version/)
  })

  test('names the file that cannot be read or written', async () => {
    const missing = join(folder, 'missing', 'muster.backup')
    const refused = new ConfigError(`${missing}: there is no such file or folder`)
    await assert.rejects(run('backup', missing), refused)
    await assert.rejects(run('restore', missing), refused)
  })

  test('restores what sources have stored', async () => {
    const { status } = await run('restore', backup, '--replace')
    assert.equal(status, 0)
    const platform = await startPlatform({ engine, beside: installation })
    const entries = await createSourceState(platform.database)('account').changes(0)
    await platform.close()
    assert.deepEqual(
      entries.map((entry) => ({ ...entry })),
      [{ ...stored, version: 1 }],
    )
  })

  test('stops acting: accounts are observed, tasks are unknown, the recycle bin starts anew', async () => {
    const { status } = await run('restore', backup, '--replace')
    assert.equal(status, 0)
    const platform = await startPlatform({ engine, beside: installation })
    const { database: restored } = platform
    const key = loadSecretKey(join(platform.folder, 'secret.key'))
    const attached = await createAccountStore(restored, key).find('account')
    const task = await createTaskStore(restored, Date.now).find(taskId)
    const entry = await createTaskStore(restored, Date.now).binEntry('binned')
    await platform.close()
    assert.equal(attached?.account.access, 'observe')
    assert.equal(task?.status, 'unknown')
    assert.match(task.error, /restored/)
    assert.deepEqual([entry?.auto_delete_at, entry?.delete_disks], [0, true])
  })

  if (engine === 'postgres') {
    test('replaces a database of a newer version, and drops unknown tables on request', async () => {
      await query(`insert into kysely_migration values ('0999-later', '1');
        create table later (id text references users)`)
      await assert.rejects(run('restore', backup), /add --replace/)
      const unknown = /does not know: later\. To drop them too, add --drop-unknown-tables/
      await assert.rejects(run('restore', backup, '--replace'), unknown)
      assert.equal((await query('select from later')).length, 0)
      const { status } = await run('restore', backup, '--replace', '--drop-unknown-tables')
      assert.equal(status, 0)
      await assert.rejects(query('select from later'), /does not exist/)
      assert.match((await run('check')).stdout, /^No problems found/m)
    })

    test('leaves tables of other software alone', async () => {
      await query('create table other (id text)')
      const { status } = await run('restore', backup, '--replace', '--drop-unknown-tables')
      assert.equal(status, 0)
      assert.equal((await query('select from other')).length, 0)
    })
    return
  }

  const pageSize = 4096
  const damages = {
    'a header of zeros': (bytes: Buffer) => bytes.fill(0, 0, 100),
    'damaged pages': (bytes: Buffer) => bytes.fill(0xa5, pageSize),
  }
  for (const [title, damage] of Object.entries(damages)) {
    test(`replaces a database with ${title}, which stays beside it`, async () => {
      const damaged = damage(readFileSync(database))
      writeFileSync(database, damaged)
      writeFileSync(`${database}-wal`, 'log', { mode: 0o600 })
      const check = await run('check')
      assert.equal(check.status, 1)
      assert.match(check.stdout, /^Problems found: \d/m)
      await assert.rejects(run('backup', `${backup}.2`), /muster\.db is damaged \(.*--replace/)
      const { status, stdout } = await run('restore', backup, '--replace')
      assert.equal(status, 0)
      const replaced = /The data from before is in (\S+)\. /.exec(stdout)?.[1] ?? ''
      assert.ok(readFileSync(replaced).equals(damaged))
      assert.match((await run('check')).stdout, /^No problems found/m)
      rmSync(replaced)
    })
  }

  test('refuses the directory and the files of another user', async (t) => {
    if (process.getuid?.() !== 0) return t.diagnostic('not tested: only root can change the owner')
    chownSync(database, 12_345, 12_345)
    const refused = /belongs to another user: .*sudo -u '#12345'/
    await assert.rejects(run('restore', backup, '--replace'), refused)
    rmSync(join(folder, 'data'), { recursive: true })
    mkdirSync(join(folder, 'data'), { mode: 0o700 })
    chownSync(join(folder, 'data'), 12_345, 12_345)
    await assert.rejects(run('restore', backup), refused)
  })
})
