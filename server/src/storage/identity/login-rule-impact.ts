import { sql, type Kysely } from 'kysely'
import type { LoginRules } from '@muster/contract'
import type { LoginRuleImpact } from '../../domain/identity/administration/registry.ts'
import { readBoolean } from '../boolean.ts'
import { findAdministrators } from '../registry/find-administrator.ts'
import type { Tables } from '../tables.ts'
import { readLoginRules } from './domain-columns.ts'

/** Whom new rules of a domain affect, and what must be known of its administrators to allow them. */
export function createLoginRuleImpact(db: Kysely<Tables>) {
  const ofDomain = (domainId: string) =>
    db.selectFrom('users').select('users.id').where('domain_id', '=', domainId)
  const ago = (now: number, seconds: number | null) => now - (seconds ?? Infinity) * 1_000

  async function countTokens(domainId: string, before: LoginRules, rules: LoginRules, now: number) {
    const { token_lifetime } = rules
    if (token_lifetime === null) return 0
    let live = db
      .selectFrom('tokens')
      .where('user_id', 'in', ofDomain(domainId))
      .where('expires_at', '>', now)
      .where('login_at', '<=', ago(now, token_lifetime))
    if (before.token_lifetime !== null) {
      live = live.where('login_at', '>', ago(now, before.token_lifetime))
    }
    const { count } = await live.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()
    return count
  }

  async function countSessions(
    domainId: string,
    before: LoginRules,
    rules: LoginRules,
    now: number,
  ) {
    const rows = await db
      .selectFrom('sessions')
      .where('user_id', 'in', ofDomain(domainId))
      .where('expires_at', '>', now)
      .select(['created_at', 'seen_at'])
      .execute()
    const isAlive = (row: (typeof rows)[number], limits: LoginRules) =>
      row.created_at > ago(now, limits.session_lifetime) &&
      row.seen_at > ago(now, limits.session_idle)
    return rows.filter((row) => isAlive(row, before) && !isAlive(row, rules)).length
  }

  /** Who is logged in, and from where. */
  async function listAddresses(domainId: string, now: number) {
    const rows = await db
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.user_id')
      .where('users.domain_id', '=', domainId)
      .where('users.break_glass', '=', 0)
      .where('tokens.expires_at', '>', now)
      .select(['users.id', 'users.name', 'tokens.ip', 'tokens.login_method as method'])
      .distinct()
      .orderBy('users.name')
      .orderBy('users.id')
      .execute()
    return rows
  }

  async function hasSystemRoles(domainId: string): Promise<boolean> {
    const holder = await db
      .selectFrom('assignments')
      .select('assignments.id')
      .where('project_id', 'is', null)
      .where('domain_id', 'is', null)
      .where((eb) =>
        eb.or([
          eb('user_id', 'in', ofDomain(domainId)),
          eb(
            'group_id',
            'in',
            eb
              .selectFrom('group_members')
              .select('group_id')
              .where('group_members.user_id', 'in', ofDomain(domainId)),
          ),
        ]),
      )
      .limit(1)
      .executeTakeFirst()
    return holder !== undefined
  }

  async function listAdministrators() {
    const rows = await findAdministrators(db, 'any')
      .select(['users.domain_id', 'users.break_glass', 'domains.login_rules'])
      .execute()
    return rows.map((row) => ({
      id: row.id,
      domainId: row.domain_id,
      isExempt: readBoolean(row.break_glass),
      networks: readLoginRules(row.login_rules).networks,
    }))
  }

  return async function loginRuleImpact(
    domainId: string,
    before: LoginRules,
    rules: LoginRules,
    now: number,
  ): Promise<LoginRuleImpact> {
    return {
      endedTokens: await countTokens(domainId, before, rules, now),
      endedSessions: await countSessions(domainId, before, rules, now),
      addresses: await listAddresses(domainId, now),
      hasSystemRoles: await hasSystemRoles(domainId),
      administrators: await listAdministrators(),
    }
  }
}
