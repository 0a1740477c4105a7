import { sql } from 'kysely'
import type { Registry } from '../../domain/identity/administration/registry.ts'
import type { AuthorizedScope } from '../../domain/scope.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { wholeFacet } from '../servers/counts.ts'
import { among, type Sql } from '../sql-parts.ts'
import { visibleTo } from './row-visibility.ts'

/** Counts the servers and users of projects, and names their owners. */
export const createSummarizeProjects =
  ({ db }: Pick<DatabaseReader, 'db'>): Registry['summarizeProjects'] =>
  async (wanted, scopes) => {
    const read = async (query: Sql) => (await sql<Row>`${query}`.execute(db)).rows
    const within = async (scope: AuthorizedScope) => {
      const isWanted = among(sql.ref('id'), wanted)
      const isVisible = visibleTo('projects', scope)
      const rows = await read(sql`select id from projects where ${isWanted} and ${isVisible}`)
      return rows.map(({ id }) => String(id))
    }
    const ids = await within(scopes.projects)
    const withServers = new Set(await within(scopes.servers))
    const withUsers = new Set(await within(scopes.users))
    const inProject = among(sql.ref('assignments.project_id'), ids)
    const servers = await read(sql`select word as id, sum(servers) as total from server_counts
      join words on words.code = server_counts.project_id
      where facet = ${wholeFacet} and ${among(sql.ref('word'), ids)} group by word`)
    const users = await read(sql`select project_id as id, count(*) as total from (
        select project_id, user_id from assignments where ${inProject} and user_id is not null
        union
        select project_id, group_members.user_id from assignments
          join group_members on group_members.group_id = assignments.group_id where ${inProject}
      ) as holders group by project_id`)
    const owners = await read(sql`select project_id as id, coalesce(users.name, groups.name) as name
      from assignments join roles on roles.id = role_id
        left join users on users.id = user_id left join groups on groups.id = group_id
      where ${inProject} and roles.name = 'project_owner' order by 2`)
    const totals = (rows: readonly Row[]) =>
      new Map(rows.map(({ id, total }) => [String(id), Number(total)]))
    const [serversOf, usersOf] = [totals(servers), totals(users)]
    const ownersOf = Map.groupBy(owners, ({ id }) => String(id))
    return ids.map((id) => ({
      project_id: id,
      servers: withServers.has(id) ? (serversOf.get(id) ?? 0) : null,
      users: withUsers.has(id) ? (usersOf.get(id) ?? 0) : null,
      owners: withUsers.has(id) ? (ownersOf.get(id) ?? []).map(({ name }) => String(name)) : null,
    }))
  }
