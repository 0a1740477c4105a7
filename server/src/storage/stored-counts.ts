import type { CheckSeverity, ServiceAccountAttention } from '@muster/contract'
import { sql, type Kysely } from 'kysely'
import { background } from '../domain/inventory/ports.ts'
import type { DatabaseReader } from './database.ts'
import { attentionOf } from './registry/service-account-attention.ts'
import type { Tables } from './tables.ts'

export interface StoredCounts {
  readonly tokens: number
  readonly sessions: number
  /** Unfinished ones, by status. */
  readonly tasks: Readonly<Record<'queued' | 'running', number>>
  /** Open violations of enabled checks, by severity. */
  readonly violations: Readonly<Record<CheckSeverity, number>>
  /** Enabled service accounts, by what to look at; without a word those with nothing. */
  readonly serviceAccounts: Readonly<Record<'ok' | ServiceAccountAttention, number>>
  /** When a check was last evaluated; null before the first time. */
  readonly evaluatedAt: number | null
  readonly servers: readonly {
    readonly provider: string
    readonly status: string
    readonly count: number
  }[]
}

/** Counts what is stored, for the metrics. Servers come from counts that are stored with them. */
export function createReadStoredCounts({ db, run }: DatabaseReader) {
  // The status is stored as text, the provider as a code of the dictionary.
  const servers = sql`select word as provider, status, servers
    from (select provider, status, sum(servers) as servers from server_combinations
      group by provider, status) as counted
      join words on words.code = counted.provider where servers > 0`.compile(db)
  const tasks = sql`select status, count(*) as n from tasks
    where status in ('queued', 'running') group by status`.compile(db)
  const violations = sql`select severity, count(*) as n from check_violations
    join checks on checks.id = check_id
    where until is null and opened_at is not null and enabled = 1 group by severity`.compile(db)
  const evaluated = sql`select max(evaluated_at) as last from checks`.compile(db)
  const since = (now: number, idle: number) =>
    sql`select
      (select count(*) from tokens where expires_at > ${now}) as tokens,
      (select count(*) from sessions where expires_at > ${now} and seen_at > ${now - idle}) as sessions`.compile(
      db,
    )

  /** Milliseconds: after `idle` without requests a session has ended, after `unusedAfter` without logins a service account is unused. */
  const accounts = (now: number, unusedAfter: number) =>
    sql`select attention, count(*) as n from (
      select ${attentionOf({ clock: () => now, unusedAfter })} as attention
      from users where service_account = 1 and enabled = 1) as looked group by attention`.compile(
      db,
    )

  return async function readStoredCounts(
    now: number,
    { idle, unusedAfter }: { readonly idle: number; readonly unusedAfter: number },
  ): Promise<StoredCounts> {
    const statements = [
      servers,
      since(now, idle),
      tasks,
      violations,
      evaluated,
      accounts(now, unusedAfter),
    ]
    const [
      byStatus = [],
      [live] = [],
      unfinished = [],
      bySeverity = [],
      [checks] = [],
      byAttention = [],
    ] = await run(statements, background)
    const last = checks?.['last'] ?? null
    const violationsOf = (severity: CheckSeverity) =>
      Number(bySeverity.find((row) => row['severity'] === severity)?.['n'] ?? 0)
    const accountsWith = (attention: string) =>
      Number(byAttention.find((row) => row['attention'] === attention)?.['n'] ?? 0)
    const countOf = (status: string) =>
      Number(unfinished.find((row) => row['status'] === status)?.['n'] ?? 0)
    return {
      tokens: Number(live?.['tokens']),
      sessions: Number(live?.['sessions']),
      tasks: { queued: countOf('queued'), running: countOf('running') },
      violations: {
        info: violationsOf('info'),
        warning: violationsOf('warning'),
        critical: violationsOf('critical'),
      },
      serviceAccounts: {
        ok: accountsWith(''),
        ownerless: accountsWith('ownerless'),
        unused: accountsWith('unused'),
      },
      evaluatedAt: last === null ? null : Number(last),
      servers: byStatus.map((row) => ({
        provider: String(row['provider']),
        status: String(row['status']),
        count: Number(row['servers']),
      })),
    }
  }
}

/** How many live servers these accounts have. */
export async function countServersOf(
  db: Kysely<Tables>,
  accountIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ servers: number | null }>`select sum(servers) as servers
    from server_combinations join words on words.code = server_combinations.account_id
    where word in (${sql.join(accountIds)})`.execute(db)
  return Number(rows[0]?.servers)
}
