import { sql, type Kysely } from 'kysely'
import type { PasswordUser } from '../../domain/identity/administration/registry.ts'
import { readBoolean } from '../boolean.ts'
import type { Tables } from '../tables.ts'

/** Whether a user may log in with a password of Muster. Of a query that joins `users` with `domains`. */
export const mayUsePassword = sql<boolean>`(domains.local_passwords = 'on' or users.break_glass = 1)`

/** The number of break-glass users that a domain needs as long as only they have passwords. */
const fewestBreakGlass = 2

/** Break-glass users who can log in. One that expires would stop being one without any change. */
const breakGlassUsers = (db: Kysely<Tables>) =>
  db
    .selectFrom('users')
    .where('users.break_glass', '=', 1)
    .where('users.enabled', '=', 1)
    .where('users.password_hash', 'is not', null)
    .where('users.expires_at', 'is', null)
    .where('users.password_expires_at', 'is', null)

/** The domains whose passwords are for break-glass users, and that have too few of these. */
export const findDomainsWithFewBreakGlass = (db: Kysely<Tables>) =>
  db
    .selectFrom('domains')
    .select('domains.id')
    .where('local_passwords', '=', 'break_glass')
    .where(
      breakGlassUsers(db)
        .select(sql<number>`count(*)`.as('count'))
        .where(sql<boolean>`users.domain_id = domains.id`),
      '<',
      fewestBreakGlass,
    )

/** Who of a domain has a password and can log in with it, or could if it were not for break-glass users only. */
export async function listPasswordUsers(
  db: Kysely<Tables>,
  domainId: string,
  now: number,
): Promise<readonly PasswordUser[]> {
  const isBreakGlass = breakGlassUsers(db).select('users.id')
  const links = sql`select 1 from subjects
    join identity_providers on identity_providers.id = subjects.provider_id
    where subjects.user_id = users.id and identity_providers.enabled = 1`
  const systemRoles = sql`select 1 from assignments
    where assignments.project_id is null and assignments.domain_id is null
      and (assignments.user_id = users.id or assignments.group_id in (
        select group_id from group_members where group_members.user_id = users.id))`
  const flag = (condition: ReturnType<typeof sql>) =>
    sql<number>`case when ${condition} then 1 else 0 end`
  const rows = await db
    .selectFrom('users')
    .where('domain_id', '=', domainId)
    .where('password_hash', 'is not', null)
    .where('enabled', '=', 1)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .select([
      'id',
      'name',
      'break_glass',
      flag(sql`users.id in ${isBreakGlass}`).as('counts'),
      flag(sql`exists (${links})`).as('linked'),
      flag(sql`exists (${systemRoles})`).as('of_system'),
    ])
    .orderBy('name_key')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isBreakGlass: readBoolean(row.break_glass),
    isLasting: readBoolean(row.counts),
    isLinked: readBoolean(row.linked),
    hasSystemRole: readBoolean(row.of_system),
  }))
}
