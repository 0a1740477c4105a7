import { sql, type SqlBool } from 'kysely'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { GrantRecord, Registry } from '../../domain/identity/administration/registry.ts'
import type { Grant } from '../../domain/identity/administration/resources.ts'
import type { Scope, AuthorizedScope } from '../../domain/scope.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { createListRows, nameField, sqlFieldsOf } from '../list-rows.ts'
import { everything, type Sql } from '../sql-parts.ts'
import { scopeColumns } from './related-to.ts'

/** With `effective` each member is listed instead of the group. */
const joined = (effective: boolean): Sql => sql`assignments
  join roles on roles.id = assignments.role_id
  left join groups on groups.id = assignments.group_id
  left join domains as group_domain on group_domain.id = groups.domain_id
  left join projects on projects.id = assignments.project_id
  left join domains as project_domain on project_domain.id = projects.domain_id
  left join domains as scope_domain on scope_domain.id = assignments.domain_id
  ${sql.raw(effective ? 'left join group_members on group_members.group_id = assignments.group_id' : '')}
  left join users on users.id = ${sql.raw(effective ? 'coalesce(assignments.user_id, group_members.user_id)' : 'assignments.user_id')}
  left join domains as user_domain on user_domain.id = users.domain_id`

const columns = sql.join(
  [
    ['roles', 'role'],
    ['users', 'user'],
    ['user_domain', 'user_domain'],
    ['groups', 'group'],
    ['group_domain', 'group_domain'],
    ['projects', 'project'],
    ['project_domain', 'project_domain'],
    ['scope_domain', 'domain'],
  ].flatMap(([table, thing]) =>
    ['id', 'name'].map(
      (column) => sql`${sql.ref(`${table}.${column}`)} as ${sql.ref(`${thing}_${column}`)}`,
    ),
  ),
)

/** The tables of what an assignment names, by the field with its name. */
const tables: Readonly<Record<string, string>> = {
  role: 'roles',
  user: 'users',
  group: 'groups',
  project: 'projects',
  domain: 'scope_domain',
}

const textOf = (table: string | undefined, column: string): Sql =>
  sql`coalesce(${sql.ref(`${table}.${column}`)}, '')`

/** Reads role assignments one by one. */
export function createGrants(
  database: DatabaseReader,
): Pick<Registry, 'listGrants' | 'findGrant' | 'grantsBy'> {
  const { db, engine } = database
  const listRows = createListRows(database)
  const { searched, ...queryFields } = queryFieldsByKind.role_assignments
  const fields = {
    ...sqlFieldsOf(engine, { searched, ...queryFields }, (field) =>
      textOf(tables[field.replace(/_id$/, '')], 'id'),
    ),
    ...Object.fromEntries(
      Object.entries(tables).map(([field, table]) => [
        field,
        nameField(textOf(table, 'name'), textOf(table, 'name_key')),
      ]),
    ),
  }

  /**
   * Assignments within the scope, and the caller's own. Other members of the caller's groups are
   * not included.
   */
  const isWithin = ({ scope, self = '' }: AuthorizedScope, effective: boolean): Sql => {
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

  return {
    async listGrants(authorizedScope, { effective, ...query }, requester) {
      const source = {
        columns,
        from: joined(effective),
        conditions: [
          isWithin(authorizedScope, effective),
          effective ? sql`users.id is not null` : everything,
        ],
        fields,
        searched,
        // Of an effective assignment, each member is a row.
        id: sql`(assignments.id || '.' || coalesce(users.id, ''))`,
      }
      const toItem = (row: Row) => toGrantRecord(row as unknown as GrantRow)
      return await listRows(source, query, toItem, { requester })
    },

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
