import { sql, type Kysely } from 'kysely'
import { mayUsePassword } from '../identity/local-passwords.ts'
import type { Tables } from '../tables.ts'

/**
 * Finds the users who can administer the platform: who can log in and do not expire, hold a role on
 * the system that allows everything and none that denies anything, and a role in a project. With
 * `password`: who need no identity provider to log in.
 */
export function findAdministrators(db: Kysely<Tables>, login: 'any' | 'password') {
  const hasPassword = sql<boolean>`(users.password_hash is not null and ${mayUsePassword})`
  const hasProvider = sql<boolean>`exists (select 1 from subjects
    join identity_providers on identity_providers.id = subjects.provider_id
    where subjects.user_id = users.id and identity_providers.enabled = 1)`
  const held = sql`(assignments.user_id = users.id or assignments.group_id in (
    select group_id from group_members where group_members.user_id = users.id))`
  const onSystem = sql`(assignments.project_id is null and assignments.domain_id is null)`
  const systemPolicies = sql`select 1 from assignments
    join role_policies on role_policies.role_id = assignments.role_id
    join policies on policies.id = role_policies.policy_id
    where ${held} and ${onSystem} and policies.scope = 'system' and policies.enabled = 1`
  return (
    db
      .selectFrom('users')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .select('users.id')
      .where('users.enabled', '=', 1)
      .where('domains.enabled', '=', 1)
      // A user that expires would stop being an administrator without any change.
      .where('users.expires_at', 'is', null)
      .where((eb) => eb.or([hasPassword, ...(login === 'any' ? [hasProvider] : [])]))
      .where(
        sql<boolean>`exists (${systemPolicies} and policies.allows_all = 1 and policies.forbids = 0)`,
      )
      .where(sql<boolean>`not exists (${systemPolicies} and policies.forbids = 1)`)
      .where(
        sql<boolean>`exists (select 1 from assignments
        join projects on projects.id = assignments.project_id
        join domains as home on home.id = projects.domain_id
        where ${held} and projects.enabled = 1 and home.enabled = 1)`,
      )
  )
}

export const findAdministrator = (...search: Parameters<typeof findAdministrators>) =>
  findAdministrators(...search).limit(1)
