import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { builtInRoles } from '../../domain/identity/built-in-roles.ts'
import { createTestDatabase, onBothEngines } from '../../testing/engines.ts'
import { createKysely } from '../sqlite/bridge.ts'
import { openFile } from '../sqlite/file.ts'
import type { Tables } from '../tables.ts'
import { migrate, migrateTo } from './migrate.ts'

/** Editors of the version before could do everything with servers. */
const earlierRules = JSON.stringify([
  { service: 'compute', resource: '*', action: '*', effect: 'allow' },
  { service: 'identity', resource: '*', action: 'list', effect: 'allow' },
  { service: 'identity', resource: '*', action: 'get', effect: 'allow' },
])
const changedRules = JSON.stringify([
  { service: 'compute', resource: '*', action: '*', effect: 'allow' },
])

const held = { project_id: 'p', missed: 2, missing_since: 7, active_name: 'n', active_host: 'h' }

onBothEngines(
  '0016-tasks, 0020-task-requests, 0025-missing-sightings and 0035-sync-runs',
  (engine) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-migration-'))
    let db: Kysely<Tables>

    /** A row with a default for every column that needs a value. */
    async function insert(table: string, given: Record<string, string | number>): Promise<void> {
      const tables = await db.introspection.getTables()
      const columns = tables.find(({ name }) => name === table)?.columns ?? []
      const needed = columns.filter(
        ({ isNullable, hasDefaultValue }) => !isNullable && !hasDefaultValue,
      )
      const empty = needed.map(({ name, dataType }) => [name, /int/i.test(dataType) ? 0 : ''])
      const row = { ...Object.fromEntries(empty), ...given }
      await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(row))})`.execute(db)
    }

    before(async () => {
      db =
        engine === 'sqlite'
          ? createKysely(openFile(join(folder, 'muster.db')))
          : new Kysely<Tables>({
              dialect: new PostgresDialect({
                pool: new pg.Pool({ connectionString: await createTestDatabase(), max: 2 }),
              }),
            })
      await migrateTo(db, '0015-source-state')
      for (const [id, name, rules] of [
        ['editor', 'project_editor', earlierRules],
        ['changed', 'project_editor', changedRules],
        ['other', 'other', earlierRules],
      ] as const) {
        await insert('policies', { id, name, name_key: id, scope: 'project', rules })
      }
      await migrateTo(db, '0016-tasks')
      await insert('cloudaccounts', { id: 'account' })
      for (const [at, status] of ['start_fail', 'suspend_failed', 'running'].entries()) {
        const seq = at + 1
        await insert('servers', { seq, id: status, status })
        await insert('server_documents', { server: seq, id: status, facts_digest: 'd' })
        await insert('sightings', {
          account_id: 'account',
          server_id: status,
          digest: 'd',
          ...held,
        })
      }
      for (const [seq, id, account_id, state] of [
        [4, 'held', 'account', 0],
        [5, 'ended', 'account', 2],
        [6, 'of nobody', 'removed', 0],
      ] as const) {
        await insert('servers', { seq, id, state })
        await insert('server_documents', { server: seq, id, account_id, state, facts_digest: 'd' })
      }
      await insert('sightings', { account_id: 'account', server_id: 'purged', digest: 'd' })
      await insert('tasks', { id: 'task', action: 'start', status: 'running', plan: '[]' })
      for (const [id, failures, finished_at, started_at] of [
        ['fails', 2, 7, 9],
        ['always failed', 1, null, 9],
        ['works', 0, 7, 6],
      ] as const) {
        await insert('cloudaccounts', { id, name_key: id })
        const sync = { account_id: id, failures, started_at }
        await insert('account_syncs', { ...sync, ...(finished_at !== null && { finished_at }) })
      }
      await migrate(db)
    })
    after(async () => {
      await db.destroy()
      rmSync(folder, { recursive: true })
    })

    test('editors cannot delete servers any more, as in a new database', async () => {
      const rows = await db.selectFrom('policies').select(['id', 'rules']).execute()
      const editor = builtInRoles.find(({ name }) => name === 'project_editor')
      assert.deepEqual(Object.fromEntries(rows.map(({ id, rules }) => [id, rules])), {
        editor: JSON.stringify(editor?.rules),
        // Somebody has changed it.
        changed: changedRules,
        other: earlierRules,
      })
    })

    test('lets the next scan write the servers that show a failed action, and no others', async () => {
      const documents = await db
        .selectFrom('server_documents')
        .select(['id', 'facts_digest as digest'])
        .where('account_id', '=', '')
        .execute()
      const sightings = await db
        .selectFrom('sightings')
        .innerJoin('servers', 'seq', 'server')
        .select(['servers.id', 'digest'])
        .where('server', '<=', 3)
        .execute()
      const expected = { start_fail: '', suspend_failed: '', running: 'd' }
      for (const rows of [documents, sightings]) {
        assert.deepEqual(Object.fromEntries(rows.map(({ id, digest }) => [id, digest])), expected)
      }
    })

    test('accounts see the servers that they hold, so that the next scan decides about them', async () => {
      const sightings = await db
        .selectFrom('sightings')
        .select(['account_id', 'server', 'digest', 'missed'])
        .where('server', '>', 3)
        .execute()
      assert.deepEqual(
        sightings.map((row) => ({ ...row })),
        [{ account_id: 'account', server: 4, digest: '', missed: 0 }],
      )
    })

    test('sightings keep what they tell', async () => {
      const seen = await db
        .selectFrom('sightings')
        .select(['project_id', 'missed', 'missing_since', 'active_name', 'active_host'])
        .where('server', '=', 3)
        .executeTakeFirstOrThrow()
      // PostgreSQL returns large numbers as texts.
      assert.deepEqual(Object.values(seen).map(String), Object.values(held).map(String))
    })

    test('accounts that fail do so since their last complete sync', async () => {
      const rows = await db.selectFrom('account_syncs').selectAll().execute()
      const since = rows.map(({ account_id, failing_since }) => [account_id, String(failing_since)])
      // PostgreSQL returns large numbers as texts.
      assert.deepEqual(Object.fromEntries(since), {
        fails: '7',
        'always failed': '9',
        works: 'null',
      })
    })

    test('tasks of the version before have no kind of error', async () => {
      const task = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
      assert.deepEqual([task.error_class, task.error_values, task.plan], ['', '', '[]'])
    })
  },
)
