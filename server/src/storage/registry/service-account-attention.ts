import { sql } from 'kysely'
import type { Sql } from '../sql-parts.ts'

/** When service accounts count as unused. */
export interface AttentionRule {
  readonly clock: () => number
  /** Milliseconds since the last login; 0 for never. */
  readonly unusedAfter: number
}

/** Why somebody should look at a row of `users`; empty for people, and for what cannot log in anyway. */
export function attentionOf({ clock, unusedAfter }: AttentionRule): Sql {
  const now = clock()
  const owner = sql`select 1 from users as owner
    join domains as home on home.id = owner.domain_id
    where owner.id = users.owner_id and owner.enabled = 1 and home.enabled = 1
      and (owner.expires_at is null or owner.expires_at > ${now})`
  const isUnused =
    unusedAfter === 0
      ? sql`1 = 0`
      : sql`coalesce(users.last_login_at, users.created_at) <= ${now - unusedAfter}`
  return sql`(case
    when users.service_account = 0 or users.enabled = 0 or users.expires_at <= ${now} then ''
    when not exists (${owner}) then 'ownerless'
    when ${isUnused} then 'unused'
    else '' end)`
}
