import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { up as identity } from './0001-identity.ts'
import { up as administration } from './0002-administration.ts'
import { up as servers } from './0003-servers.ts'
import { up as sources } from './0004-sources.ts'
import { up as views } from './0005-views.ts'
import { up as sessions } from './0006-sessions.ts'
import { up as limitsPerUser } from './0007-limits-per-user.ts'
import { up as accountWarnings } from './0008-account-warnings.ts'
import { up as providerOptions } from './0009-provider-options.ts'
import { up as rendering } from './0010-rendering.ts'
import { up as resources } from './0011-resources.ts'
import { up as compactServers } from './0012-compact-servers.ts'
import { up as serverCombinations } from './0013-server-combinations.ts'
import { up as eventDelivery } from './0014-event-delivery.ts'
import { up as sourceState } from './0015-source-state.ts'
import { up as tasks } from './0016-tasks.ts'
import { up as requestTimeout } from './0017-request-timeout.ts'
import { up as batchRefusals } from './0018-batch-refusals.ts'
import { up as sharedServers } from './0019-shared-servers.ts'
import { up as taskRequests } from './0020-task-requests.ts'
import { up as formerServerIds } from './0021-former-server-ids.ts'
import { up as disks } from './0022-disks.ts'
import { up as imagesAndFlavors } from './0023-images-and-flavors.ts'
import { up as eventNumbers } from './0024-event-numbers.ts'
import { up as missingSightings } from './0025-missing-sightings.ts'
import { up as sightingsByNumber } from './0026-sightings-by-number.ts'
import { up as disksByNumber } from './0027-disks-by-number.ts'
import { up as changes } from './0028-changes.ts'
import { up as gaps } from './0029-gaps.ts'
import { up as changesApart } from './0030-changes-apart.ts'
import { up as resourceChanges } from './0031-resource-changes.ts'
import { up as checks } from './0033-checks.ts'
import { up as checkpoints } from './0034-checkpoints.ts'
import { up as syncRuns } from './0035-sync-runs.ts'
import { up as logins } from './0036-logins.ts'
import { up as redactions } from './0037-redactions.ts'
import { up as viewGroups } from './0038-view-groups.ts'
import { up as providerLogins } from './0039-provider-logins.ts'
import { up as subjectConfirmations } from './0040-subject-confirmations.ts'
import { up as endedSubjects } from './0041-ended-subjects.ts'
import { up as recordedSince } from './0042-recorded-since.ts'
import { up as localPasswords } from './0043-local-passwords.ts'
import { up as keyRestrictions } from './0044-key-restrictions.ts'
import { up as refusedPasswords } from './0045-refused-passwords.ts'
import { up as serviceAccounts } from './0046-service-accounts.ts'
import { up as factors } from './0047-factors.ts'
import { up as actionTickets } from './0048-action-tickets.ts'
import { up as loginRules } from './0049-login-rules.ts'
import { engineOf, listTableNames } from './engine.ts'

/** Run in this order, each once. Never change a migration that has been released. */
const migrations: Record<string, Migration> = {
  '0001-identity': { up: identity },
  '0002-administration': { up: administration },
  '0003-servers': { up: servers },
  '0004-sources': { up: sources },
  '0005-views': { up: views },
  '0006-sessions': { up: sessions },
  '0007-limits-per-user': { up: limitsPerUser },
  '0008-account-warnings': { up: accountWarnings },
  '0009-provider-options': { up: providerOptions },
  '0010-rendering': { up: rendering },
  '0011-resources': { up: resources },
  '0012-compact-servers': { up: compactServers },
  '0013-server-combinations': { up: serverCombinations },
  '0014-event-delivery': { up: eventDelivery },
  '0015-source-state': { up: sourceState },
  '0016-tasks': { up: tasks },
  '0017-request-timeout': { up: requestTimeout },
  '0018-batch-refusals': { up: batchRefusals },
  '0019-shared-servers': { up: sharedServers },
  '0020-task-requests': { up: taskRequests },
  '0021-former-server-ids': { up: formerServerIds },
  '0022-disks': { up: disks },
  '0023-images-and-flavors': { up: imagesAndFlavors },
  '0024-event-numbers': { up: eventNumbers },
  '0025-missing-sightings': { up: missingSightings },
  '0026-sightings-by-number': { up: sightingsByNumber },
  '0027-disks-by-number': { up: disksByNumber },
  '0028-changes': { up: changes },
  '0029-gaps': { up: gaps },
  '0030-changes-apart': { up: changesApart },
  '0031-resource-changes': { up: resourceChanges },
  '0033-checks': { up: checks },
  '0034-checkpoints': { up: checkpoints },
  '0035-sync-runs': { up: syncRuns },
  '0036-logins': { up: logins },
  '0037-redactions': { up: redactions },
  '0038-view-groups': { up: viewGroups },
  '0039-provider-logins': { up: providerLogins },
  '0040-subject-confirmations': { up: subjectConfirmations },
  '0041-ended-subjects': { up: endedSubjects },
  '0042-recorded-since': { up: recordedSince },
  '0043-local-passwords': { up: localPasswords },
  '0044-key-restrictions': { up: keyRestrictions },
  '0045-refused-passwords': { up: refusedPasswords },
  '0046-service-accounts': { up: serviceAccounts },
  '0047-factors': { up: factors },
  '0048-action-tickets': { up: actionTickets },
  '0049-login-rules': { up: loginRules },
}

const createMigrator = <Schema>(db: Kysely<Schema>) =>
  new Migrator({ db, provider: { getMigrations: async () => migrations } })

/** Runs the missing migrations. A lock makes processes that start together wait for each other. */
export async function migrate<Schema>(db: Kysely<Schema>): Promise<void> {
  requireKnown(await listExecuted(db))
  // On PostgreSQL, a newer version may be migrating now. The migrator waits for it and then refuses its data.
  if (engineOf(db) === 'sqlite' && (await isUpToDate(db))) return
  await withoutForeignKeys(db, async () => {
    const { error } = await createMigrator(db).migrateToLatest()
    if (error) throw error
  })
}

/** Runs the migrations up to this one, so that rows of an earlier version can be inserted. */
export async function migrateTo<Schema>(db: Kysely<Schema>, name: string): Promise<void> {
  requireKnown([name])
  await withoutForeignKeys(db, async () => {
    const { error } = await createMigrator(db).migrateTo(name)
    if (error) throw error
  })
}

/** The migrations that the database has, also those of a newer version. */
export async function listExecuted<Schema>(db: Kysely<Schema>): Promise<string[]> {
  if (!(await listTableNames(db)).has('kysely_migration')) return []
  const ran = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return ran.rows.map(({ name }) => name)
}

export const isKnownMigration = (name: string): boolean => Object.hasOwn(migrations, name)

/** Data that a newer version has migrated is left alone. */
function requireKnown(names: readonly string[]): void {
  const unknown = names.find((name) => !isKnownMigration(name))
  if (unknown === undefined) return
  throw new Error(
    `The data was written by a newer version of Muster (it has the migration ${unknown}). Start that version, or restore a backup from before the upgrade.`,
  )
}

/**
 * On SQLite a migration may rebuild a table, and dropping the old one would delete the rows that
 * refer to it. SQLite ignores the pragma inside a transaction, so it is set outside.
 */
async function withoutForeignKeys<Schema>(
  db: Kysely<Schema>,
  work: () => Promise<void>,
): Promise<void> {
  if (engineOf(db) === 'postgres') return await work()
  await sql`pragma foreign_keys = off`.execute(db)
  try {
    await work()
  } finally {
    await sql`pragma foreign_keys = on`.execute(db)
  }
}

/** The migrations that the database has, and those that it lacks. Rejects one of a newer version. */
export async function listMigrations<Schema>(db: Kysely<Schema>) {
  const ran = await listExecuted(db)
  requireKnown(ran)
  const { executed = [], pending = [] } = Object.groupBy(Object.keys(migrations), (name) =>
    ran.includes(name) ? 'executed' : 'pending',
  )
  return { executed, pending }
}

export const isUpToDate = async <Schema>(db: Kysely<Schema>): Promise<boolean> =>
  (await listMigrations(db)).pending.length === 0
