import type { LocalPasswordRule, LoginRules } from '@muster/contract'
import type { EventRecord } from '../../domain/audit/event.ts'
import { nameKey } from '../../domain/name-key.ts'
import { readBoolean } from '../boolean.ts'
import { required, type DatabaseReader, type IdentityWriter } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { readLoginRules } from './domain-columns.ts'

/** The rules of a domain about logins, and who can log in with a password of Muster. */
export interface DomainRules {
  readonly id: string
  readonly name: string
  readonly localPasswords: LocalPasswordRule
  readonly since: number | null
  readonly loginRules: LoginRules
  readonly breakGlassUsers: readonly string[]
  /** The number of other users who have a password, also if it is refused. */
  readonly otherPasswords: number
}

/** The rules of all domains, or of the one with a name. */
export async function listLoginRules(
  { db }: DatabaseReader,
  name?: string,
): Promise<readonly DomainRules[]> {
  const domains = db
    .selectFrom('domains')
    .select(['id', 'name', 'local_passwords', 'local_passwords_since', 'login_rules'])
    .orderBy('name_key')
  const named = name === undefined ? domains : domains.where('name_key', '=', nameKey(name))
  const rows = await named.execute()
  const users = await db
    .selectFrom('users')
    .select(['name', 'domain_id', 'break_glass'])
    .where('password_hash', 'is not', null)
    .where('enabled', '=', 1)
    .orderBy('name_key')
    .execute()
  const byDomain = Map.groupBy(users, ({ domain_id }) => domain_id)
  return rows.map((row) => {
    const own = byDomain.get(row.id) ?? []
    const breakGlass = own.filter(({ break_glass }) => readBoolean(break_glass))
    return {
      id: row.id,
      name: row.name,
      localPasswords: row.local_passwords === 'break_glass' ? 'break_glass' : 'on',
      since: row.local_passwords_since,
      loginRules: readLoginRules(row.login_rules),
      breakGlassUsers: breakGlass.map((user) => user.name),
      otherPasswords: own.length - breakGlass.length,
    }
  })
}

/** The columns of a rule, as they are without it. */
export type LiftedRule =
  | { readonly local_passwords: 'on'; readonly local_passwords_since: null }
  | { readonly login_rules: string }

/** Lifts a rule of a domain. */
export async function liftRule(
  { db, commitIdentity }: DatabaseReader & IdentityWriter,
  domainId: string,
  rule: LiftedRule,
  event: EventRecord,
): Promise<void> {
  const lift = db
    .updateTable('domains')
    .set(rule)
    .where('id', '=', domainId)
    .returning('id')
    .compile()
  await commitIdentity([required(lift, 'domain'), createInsertEvent(db)(event)])
}
