import { sql, type SqlBool } from 'kysely'
import { badField } from '../../domain/error.ts'
import type {
  AssignmentQuery,
  GrantRecord,
  Page,
  Registry,
} from '../../domain/identity/administration/registry.ts'
import type { Grant } from '../../domain/identity/administration/resources.ts'
import type { Scope, AuthorizedScope } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { scopeColumns } from './related-to.ts'

/** Reads role assignments one by one. */
export function createGrants({
  db,
}: DatabaseReader): Pick<Registry, 'listGrants' | 'findGrant' | 'grantsBy'> {
  const named = () =>
    db
      .selectFrom('assignments')
      .innerJoin('roles', 'roles.id', 'assignments.role_id')
      .leftJoin('groups', 'groups.id', 'assignments.group_id')
      .leftJoin('domains as group_domain', 'group_domain.id', 'groups.domain_id')
      .leftJoin('projects', 'projects.id', 'assignments.project_id')
      .leftJoin('domains as project_domain', 'project_domain.id', 'projects.domain_id')
      .leftJoin('domains as scope_domain', 'scope_domain.id', 'assignments.domain_id')
      .select([
        'assignments.id',
        'roles.id as role_id',
        'roles.name as role_name',
        'groups.id as group_id',
        'groups.name as group_name',
        'group_domain.id as group_domain_id',
        'group_domain.name as group_domain_name',
        'projects.id as project_id',
        'projects.name as project_name',
        'project_domain.id as project_domain_id',
        'project_domain.name as project_domain_name',
        'scope_domain.id as domain_id',
        'scope_domain.name as domain_name',
      ])

  /** With `effective` each member is listed instead of the group. */
  const withHolders = (effective: boolean) => {
    const holder = effective
      ? sql<string>`coalesce(assignments.user_id, group_members.user_id)`
      : sql<string>`assignments.user_id`
    return named()
      .leftJoin('group_members', (join) =>
        effective
          ? join.onRef('group_members.group_id', '=', 'assignments.group_id')
          : join.on(sql<SqlBool>`1 = 0`),
      )
      .leftJoin('users', (join) => join.on('users.id', '=', holder))
      .leftJoin('domains as user_domain', 'user_domain.id', 'users.domain_id')
      .select([
        'users.id as user_id',
        'users.name as user_name',
        'user_domain.id as user_domain_id',
        'user_domain.name as user_domain_name',
        sql<string>`coalesce(users.id, '')`.as('holder_id'),
      ])
  }

  /**
   * Assignments within the scope, and the caller's own. Other members of the caller's groups are
   * not included.
   */
  const isWithin = ({ scope, self }: AuthorizedScope, effective: boolean) => {
    const own = effective
      ? sql<SqlBool>`users.id = ${self}`
      : sql<SqlBool>`(assignments.user_id = ${self} or assignments.group_id in (
      select own.group_id from group_members as own where own.user_id = ${self}))`
    switch (scope.kind) {
      case 'system':
        return sql<SqlBool>`1 = 1`
      case 'domain':
        return sql<SqlBool>`(assignments.domain_id = ${scope.domainId}
          or projects.domain_id = ${scope.domainId} or ${own})`
      case 'project':
        return sql<SqlBool>`(assignments.project_id = ${scope.projectId} or ${own})`
      case 'none':
        return own
    }
  }

  async function listGrants(
    authorizedScope: AuthorizedScope,
    query: AssignmentQuery,
  ): Promise<Page<GrantRecord>> {
    let select = withHolders(query.effective).where(isWithin(authorizedScope, query.effective))
    if (query.effective) select = select.where('users.id', 'is not', null)
    if (query.userId !== undefined) select = select.where('users.id', '=', query.userId)
    if (query.groupId !== undefined) select = select.where('groups.id', '=', query.groupId)
    if (query.roleId !== undefined) select = select.where('roles.id', '=', query.roleId)
    if (query.projectId !== undefined) select = select.where('projects.id', '=', query.projectId)
    if (query.domainId !== undefined) select = select.where('scope_domain.id', '=', query.domainId)
    if (query.scope === 'system') {
      select = select.where('projects.id', 'is', null).where('scope_domain.id', 'is', null)
    }
    if (query.marker !== undefined) {
      const [id, holderId] = readGrantMarker(query.marker)
      select = select.where(
        sql<SqlBool>`(assignments.id > ${id} or (assignments.id = ${id} and coalesce(users.id, '') > ${holderId}))`,
      )
    }
    const rows = await select
      .orderBy('assignments.id')
      .orderBy('holder_id')
      .limit(query.limit + 1)
      .offset(query.offset)
      .execute()
    const shown = rows.slice(0, query.limit)
    const last = shown.at(-1)
    const isWhole = rows.length <= query.limit || last === undefined
    return {
      items: shown.map((row) => toGrantRecord(row)),
      next: isWhole ? undefined : `${last.id}.${last.holder_id}`,
    }
  }

  return {
    listGrants,

    async findGrant({ roleId, holder, scope }) {
      const { project_id, domain_id } = scopeColumns(scope)
      const row = await db
        .selectFrom('assignments')
        .select('provider_id')
        .where('role_id', '=', roleId)
        .where(holder.kind === 'user' ? 'user_id' : 'group_id', '=', holder.id)
        .where('project_id', 'is not distinct from', project_id)
        .where('domain_id', 'is not distinct from', domain_id)
        .executeTakeFirst()
      return row && { providerId: row.provider_id }
    },

    async grantsBy(providerId, userId) {
      let query = db
        .selectFrom('assignments')
        .leftJoin('projects', 'projects.id', 'assignments.project_id')
        .where('assignments.provider_id', '=', providerId)
      if (userId !== undefined) query = query.where('assignments.user_id', '=', userId)
      const rows = await query
        .select([
          'assignments.user_id',
          'assignments.role_id',
          'assignments.project_id',
          'assignments.domain_id',
          'projects.domain_id as project_domain_id',
        ])
        .execute()
      return rows.map((row): Grant => ({
        roleId: row.role_id,
        holder: { kind: 'user', id: row.user_id ?? '' },
        scope: toScope(row),
      }))
    },
  }
}

/** The id of the assignment and of the member, separated by a dot. */
function readGrantMarker(marker: string): [string, string] {
  const [, id, holderId] = /^([\w-]{1,64})\.([\w-]{0,64})$/.exec(marker) ?? []
  if (id === undefined || holderId === undefined) {
    throw badField('marker', 'does not exist in this list. Start from the first page.')
  }
  return [id, holderId]
}

function toScope(row: {
  project_id: string | null
  domain_id: string | null
  project_domain_id: string | null
}): Scope {
  if (row.project_id !== null) {
    return { kind: 'project', projectId: row.project_id, domainId: row.project_domain_id ?? '' }
  }
  return row.domain_id === null ? { kind: 'system' } : { kind: 'domain', domainId: row.domain_id }
}

type Texts<Name extends string> = Readonly<Record<Name, string | null>>
type Parts<Thing extends string> = Texts<`${Thing}_id` | `${Thing}_name`>
type GrantRow = Parts<'role'> &
  Parts<'user'> &
  Parts<'user_domain'> &
  Parts<'group'> &
  Parts<'group_domain'> &
  Parts<'project'> &
  Parts<'project_domain'> &
  Parts<'domain'>

const thing = (id: string | null, name: string | null) => ({ id: id ?? '', name: name ?? '' })

function toGrantRecord(row: GrantRow): GrantRecord {
  const user = {
    ...thing(row.user_id, row.user_name),
    domain: thing(row.user_domain_id, row.user_domain_name),
  }
  const group = {
    ...thing(row.group_id, row.group_name),
    domain: thing(row.group_domain_id, row.group_domain_name),
  }
  return {
    role: thing(row.role_id, row.role_name),
    user: row.user_id === null ? undefined : user,
    group: row.group_id === null ? undefined : group,
    scope: scopeOf(row),
  }
}

function scopeOf(row: GrantRow): GrantRecord['scope'] {
  if (row.project_id !== null) {
    const domain = thing(row.project_domain_id, row.project_domain_name)
    return { kind: 'project', project: { ...thing(row.project_id, row.project_name), domain } }
  }
  if (row.domain_id !== null) {
    return { kind: 'domain', domain: thing(row.domain_id, row.domain_name) }
  }
  return { kind: 'system' }
}
