import { sql } from 'kysely'
import type { SightingChanges } from '../../domain/inventory/ports.ts'
import { LeaseLost } from '../../domain/sources/lease-lost.ts'
import { required, type DatabaseReader, type Statement } from '../database.ts'
import { Violation } from '../violation.ts'
import { chunk } from '../../domain/chunk.ts'
import { createReplaceByServerId } from '../insert-rows.ts'
import type { Sql } from '../sql-parts.ts'

const fence = 'fence'

/** Throws `LeaseLost` if the fence fails. Such a commit must not be retried. */
export async function commitFenced<Result>(commit: () => Promise<Result>): Promise<Result> {
  try {
    return await commit()
  } catch (error) {
    if (error instanceof Violation && error.reason === fence) throw new LeaseLost()
    throw error
  }
}

/** Builds the statement that makes a commit fail unless the fence of the account holds. */
export function createRequireFence({ engine, db }: DatabaseReader) {
  const lock = engine === 'postgres' ? sql`for share` : sql``
  return function requireFence({
    accountId,
    fence: { revision, runner },
  }: Pick<SightingChanges, 'accountId' | 'fence'>): Statement {
    const isRunner = runner === undefined ? sql`` : sql`and runner = ${runner}`
    const check = sql`select 1 as one from cloudaccounts inner join account_syncs on account_id = id where id = ${accountId} and revision = ${revision} ${isRunner} ${lock}`
    return required(check.compile(db), fence)
  }
}

/** The columns of a sighting without the account and the number of the server. */
export const sightingColumns = [
  'digest',
  'project_id',
  'missed',
  'missing_since',
  'active_name',
  'active_host',
] as const

/** The numbers of the servers with these ids. */
const numbersOf = (ids: readonly string[]): Sql =>
  sql`(select seq from servers where id in (${sql.join(ids)}))`

/**
 * Builds the statements that store what an account sees. They run serialized, because two accounts
 * that see the same server depend on the sightings of each other.
 */
export function createSightingStatements(database: DatabaseReader) {
  const { db } = database
  // A scan that began before a server was renamed has the old id.
  const isCurrent = sql`not exists (select 1 from server_keys where source_id = servers.id)`
  const replace = createReplaceByServerId(
    database,
    'sightings',
    ['account_id', ...sightingColumns],
    ['account_id', 'server'],
    isCurrent,
  )
  const requireFence = createRequireFence(database)

  /** Clears the digests of other accounts that see the servers and makes their sync due, so that they take over. */
  function deleteSightings(accountId: string, ids: readonly string[]): Statement[] {
    const elsewhere = sql`server in ${numbersOf(ids)} and account_id <> ${accountId}`
    return [
      sql`delete from sightings where account_id = ${accountId} and server in ${numbersOf(ids)}`.compile(
        db,
      ),
      sql`update sightings set digest = '' where ${elsewhere}`.compile(db),
      sql`update account_syncs set next_at = 0 where account_id in (select account_id from sightings where ${elsewhere})`.compile(
        db,
      ),
    ]
  }

  function requireSeen(accountId: string, ids: readonly string[]): Statement {
    const seen = sql`select count(*) from sightings where account_id = ${accountId} and server in ${numbersOf(ids)}`
    return required(sql`select 1 as one where (${seen}) = ${ids.length}`.compile(db), 'others')
  }

  const requireOthers = (others: NonNullable<SightingChanges['seenByOthers']>): Statement[] =>
    [...Map.groupBy(others, (other) => other.accountId)].flatMap(([accountId, seen]) =>
      [...chunk(seen)].map((piece) =>
        requireSeen(
          accountId,
          piece.map(({ serverId }) => serverId),
        ),
      ),
    )

  function requireIds(ids: readonly string[]): Statement {
    const renamed = sql`select 1 from server_keys where source_id in (${sql.join(ids)})`
    return required(sql`select 1 as one where not exists (${renamed})`.compile(db), 'ids')
  }

  /** Every account that sees the server sees it by its new id, which can be a former one. */
  const rename = ({ from, to }: { readonly from: string; readonly to: string }): Statement[] => [
    sql`update server_keys set server_id = ${to} where server_id = ${from}`.compile(db),
    sql`delete from server_keys where source_id = ${to}`.compile(db),
    sql`insert into server_keys (source_id, server_id) values (${from}, ${to})`.compile(db),
    sql`update sightings set server = ${numbersOf([to])}, digest = '' where server in ${numbersOf([from])}`.compile(
      db,
    ),
  ]

  return function sightingStatements(changes: SightingChanges): Statement[] {
    const { accountId, seen, lost, seenByOthers = [], created = [], renamed = [] } = changes
    // New servers get their numbers in this order.
    const rows = seen
      .toSorted((a, b) => (a.serverId < b.serverId ? -1 : 1))
      .map(({ serverId, digest, projectId, missed, missingSince, activeName, activeHost }) => [
        accountId,
        digest,
        projectId,
        missed,
        missingSince,
        activeName,
        activeHost,
        serverId,
      ])
    return [
      requireFence(changes),
      ...requireOthers(seenByOthers),
      ...[...chunk(created)].map(requireIds),
      ...replace(rows),
      ...[...chunk(lost)].flatMap((piece) => deleteSightings(accountId, piece)),
      ...renamed.flatMap(rename),
    ]
  }
}
