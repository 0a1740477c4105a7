import { sql } from 'kysely'
import type { SecretBox } from '../../domain/secret-box.ts'
import { background } from '../../domain/inventory/ports.ts'
import type { Clock } from '../../domain/clock.ts'
import { nameKey } from '../../domain/name-key.ts'
import type { Account } from '../../domain/sources/account.ts'
import type { AccountStore } from '../../domain/sources/ports.ts'
import type { SourceSettings } from '../../domain/sources/source.ts'
import {
  required,
  type DatabaseReader,
  type DatabaseWriter,
  type IdentityWriter,
  type Statements,
} from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { recordCommit } from '../history/commit-record.ts'
import { deleteOrphans } from '../resources/delete-orphans.ts'
import { createNumbers } from '../servers/numbers.ts'
import type { Tables } from '../tables.ts'
import {
  abandonTasks,
  cancelTasks,
  finishAllBatches,
  lockBatches,
} from '../tasks/batch-statements.ts'
import { Violation } from '../violation.ts'
import { toAccountRow, toAttached } from './account-rows.ts'
import { createManagerStatus } from './manager-status.ts'
import { closeGaps, startObserving } from './observation-statements.ts'

const columns = [
  'id',
  'name',
  'name_key',
  'provider',
  'brand',
  'address',
  'options',
  'project_id',
  'period',
  'disappearance_hold',
  'enabled',
  'access',
  'max_actions',
  'request_timeout',
  'mapping',
  'created_at',
  'revision',
  'leaving',
] as const

/** Why the queued tasks of an account end with a change of it. */
function reasonToCancel(changes: Partial<Account>): string | undefined {
  if (changes.access === 'observe') return 'The cloud account was set to observe.'
  if (changes.enabled === false) return 'The cloud account was disabled.'
  return changes.isBeingDeleted === true ? 'The cloud account was deleted.' : undefined
}

/** Binds the encrypted credentials to their account, so that they cannot be copied to another row. */
export const credentialsContext = (id: string) => `cloudaccount ${id}`

/** Stores accounts. Credentials are encrypted before they are written and decrypted only for use. */
export function createAccountStore(
  database: DatabaseReader & DatabaseWriter & Partial<IdentityWriter>,
  secretBox: SecretBox,
  clock: Clock = Date.now,
): AccountStore {
  const { db } = database
  const takeNumbers = createNumbers(database)
  const managerStatus = createManagerStatus(database, clock)
  const insertEvent = createInsertEvent(db)

  const encrypt = (id: string, credentials: SourceSettings['credentials']) =>
    secretBox.encrypt(JSON.stringify(credentials), credentialsContext(id))

  /** Returns false without changes if the name is taken or the revision is outdated. */
  async function tryCommit(statements: Statements, changesAccess = false): Promise<boolean> {
    const { commitIdentity } = database
    try {
      // What a caller may do depends on it, so cached pages become stale.
      if (changesAccess && commitIdentity) await commitIdentity(statements)
      else await database.commit(statements)
      return true
    } catch (error) {
      if (error instanceof Violation && error.kind !== 'foreign-key') return false
      throw error
    }
  }

  const select = () =>
    db
      .selectFrom('cloudaccounts')
      .innerJoin('account_syncs', 'account_syncs.account_id', 'cloudaccounts.id')
      .select(columns)
      .selectAll('account_syncs')

  return {
    async all() {
      return (await select().orderBy('created_at').orderBy('id').execute()).map(toAttached)
    },

    async find(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row && toAttached(row)
    },

    async credentialsOf(id) {
      const row = await db
        .selectFrom('cloudaccounts')
        .select('credentials')
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) return {}
      return JSON.parse(secretBox.decrypt(row.credentials, credentialsContext(id))) as Record<
        string,
        string
      >
    },

    async syncedAt() {
      const rows = await db
        .selectFrom('account_syncs')
        .select(['account_id', 'finished_at'])
        .where('finished_at', 'is not', null)
        .execute()
      return new Map(rows.map(({ account_id, finished_at }) => [account_id, finished_at ?? 0]))
    },

    async countServers() {
      const count = db
        .selectFrom('sightings')
        .select(['account_id', (eb) => eb.fn.countAll().as('servers')])
        .groupBy('account_id')
        .compile()
      const [rows = []] = await database.run([count], background)
      return new Map(rows.map((row) => [String(row['account_id']), Number(row['servers'])]))
    },

    async isNameTaken(name) {
      const row = await db
        .selectFrom('cloudaccounts')
        .select('id')
        .where('name_key', '=', nameKey(name))
        .executeTakeFirst()
      return row !== undefined
    },

    async insert(account, credentials, event) {
      const row = {
        ...(toAccountRow(account) as Tables['cloudaccounts']),
        credentials: encrypt(account.id, credentials),
      }
      const statements = [
        db.insertInto('cloudaccounts').values(row).compile(),
        // Due at once. Not 0, which means that a user requested the sync.
        sql`insert into account_syncs (account_id, next_at) values (${account.id}, 1)`.compile(db),
        startObserving(db, account.id),
        insertEvent(event),
      ]
      return await tryCommit(statements, account.access === 'manage')
    },

    async update(account, changes, credentials, event) {
      const update = db
        .updateTable('cloudaccounts')
        .set({
          ...toAccountRow(changes),
          ...(credentials && { credentials: encrypt(account.id, credentials) }),
          revision: account.revision + 1,
        })
        .where('id', '=', account.id)
        .where('revision', '=', account.revision)
      // Servers move only if the rules, the default project or the account name changes. Rules can
      // match the account name.
      const affectsMapping = [changes.mapping, changes.project_id, changes.name].some(
        (change) => change !== undefined,
      )
      const keepMappingApplied = db
        .updateTable('account_syncs')
        .set({ mapped_revision: account.revision + 1 })
        .where('account_id', '=', account.id)
        .where('mapped_revision', '=', account.revision)
        // Otherwise the account runs once more, so that its servers stop showing cancelled tasks.
        .where(sql<boolean>`not exists (select 1 from tasks
          where account_id = ${account.id} and is_shown = 1 and status in ('cancelled', 'unknown'))`)
      const reason = reasonToCancel(changes)
      const statements = [
        required(update.compile(), 'revision'),
        ...(reason === undefined
          ? []
          : [
              lockBatches(db, account.id),
              cancelTasks(db, { column: 'account_id', id: account.id }, event.time, reason),
              // An account that is observed is still read, so that its tasks end by themselves.
              ...(changes.access === 'observe'
                ? []
                : [
                    abandonTasks(
                      db,
                      account.id,
                      event.time,
                      `${reason} The request was sent before.`,
                    ),
                  ]),
              finishAllBatches(db, event.time),
            ]),
        ...(affectsMapping ? [] : [keepMappingApplied.compile()]),
        insertEvent(event),
        ...(changes.enabled === undefined
          ? []
          : await managerStatus.enable(account.id, changes.enabled)),
      ]
      return await tryCommit(statements, changes.access !== undefined)
    },

    async remove(id) {
      const { revision } = await takeNumbers({ revision: 1 })
      const statements = [
        closeGaps(database, id, clock()),
        db.deleteFrom('sightings').where('account_id', '=', id).compile(),
        db.updateTable('tasks').set({ is_shown: 0 }).where('account_id', '=', id).compile(),
        db.deleteFrom('cloudaccounts').where('id', '=', id).compile(),
        ...deleteOrphans(database, revision),
      ]
      const commit = recordCommit(database, revision, clock())
      await database.commitServers(statements, new Set(), commit)
    },

    async confirmGone(id, event) {
      const missing = sql<number>`(select max(missing_since) from sightings where account_id = ${id} and missed > 0)`
      const confirm = sql`update account_syncs set confirmed_gone = ${missing}, next_at = 0 where account_id = ${id} and ${missing} is not null`
      return await tryCommit([required(confirm.compile(db), 'missing'), insertEvent(event)])
    },

    async requestSync(id, event) {
      await database.commit([
        db.updateTable('account_syncs').set({ next_at: 0 }).where('account_id', '=', id).compile(),
        ...(event ? [insertEvent(event)] : []),
      ])
    },
  }
}
