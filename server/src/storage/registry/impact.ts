import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Impact } from '@muster/contract'
import type { Registry } from '../../domain/identity/administration/registry.ts'
import type { DatabaseReader } from '../database.ts'
import { ownedBy } from '../servers/owned-by.ts'
import type { Tables } from '../tables.ts'

/** A query for each count; for tokens, the query of those to start from. */
type Counts = Record<keyof Impact, RawBuilder<unknown>>

const none = sql`select 0`

const serversOf = (owner: 'domain' | 'project', id: string) =>
  sql`select count(*) from servers where ${ownedBy(owner, id)}`

/** What deleting a domain affects. */
function onDomain(id: string): Counts {
  const projects = sql`select id from projects where domain_id = ${id}`
  const users = sql`select id from users where domain_id = ${id}`
  const groups = sql`select id from groups where domain_id = ${id}`
  return {
    projects: sql`select count(*) from projects where domain_id = ${id}`,
    servers: serversOf('domain', id),
    users: sql`select count(*) from users where domain_id = ${id}`,
    groups: sql`select count(*) from groups where domain_id = ${id}`,
    assignments: sql`select count(*) from assignments where domain_id = ${id}
      or project_id in (${projects}) or user_id in (${users}) or group_id in (${groups})`,
    access_keys: sql`select count(*) from access_keys
      where project_id in (${projects}) or user_id in (${users})`,
    identity_providers: sql`select count(*) from identity_providers where domain_id = ${id}`,
    default_projects: sql`select count(*) from users where default_project_id in (${projects})`,
    // Those of the domain itself are deleted with it.
    service_accounts: sql`select count(*) from users
      where owner_id in (${users}) and domain_id <> ${id}`,
    tokens: sql`select id from tokens
      where domain_id = ${id} or project_id in (${projects}) or user_id in (${users})`,
  }
}

function onProject(id: string): Counts {
  const groups = sql`select group_id from assignments where project_id = ${id}`
  return {
    projects: none,
    servers: serversOf('project', id),
    users: sql`select count(*) from users where id in (
        select user_id from assignments where project_id = ${id})
      or id in (select user_id from group_members where group_id in (${groups}))`,
    groups: sql`select count(distinct group_id) from assignments where project_id = ${id}`,
    assignments: sql`select count(*) from assignments where project_id = ${id}`,
    access_keys: sql`select count(*) from access_keys where project_id = ${id}`,
    identity_providers: none,
    default_projects: sql`select count(*) from users where default_project_id = ${id}`,
    service_accounts: none,
    tokens: sql`select id from tokens where project_id = ${id}`,
  }
}

const onUser = (id: string): Counts => ({
  projects: none,
  servers: none,
  users: none,
  groups: sql`select count(*) from group_members where user_id = ${id}`,
  assignments: sql`select count(*) from assignments where user_id = ${id}`,
  access_keys: sql`select count(*) from access_keys where user_id = ${id}`,
  identity_providers: none,
  default_projects: none,
  service_accounts: sql`select count(*) from users where owner_id = ${id}`,
  tokens: sql`select id from tokens where user_id = ${id}`,
})

const countsOf = { domains: onDomain, projects: onProject, users: onUser }

async function count(db: Kysely<Tables>, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select (${query}) as total`.execute(db)
  return rows[0]?.total ?? 0
}

/** Includes tokens that were issued from these, but no expired ones. */
const countTokens = (ended: RawBuilder<unknown>, now: number) => sql`
  with recursive ending (id) as (
    select id from tokens where id in (${ended})
    union
    select tokens.id from tokens join ending on tokens.parent_id = ending.id
  )
  select count(*) from tokens where id in (select id from ending) and expires_at > ${now}`

/** Counts what deleting a resource affects. */
export const createImpactOf =
  ({ db }: DatabaseReader): Registry['impactOf'] =>
  async (kind, id, now) => {
    const { tokens, ...others } = countsOf[kind](id)
    const counts: Counts = { ...others, tokens: countTokens(tokens, now) }
    const impact: Partial<Record<keyof Impact, number>> = {}
    for (const [name, query] of Object.entries(counts)) {
      impact[name as keyof Impact] = await count(db, query)
    }
    return impact as Impact
  }
