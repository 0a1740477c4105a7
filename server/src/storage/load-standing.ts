import type { ExpressionBuilder } from 'kysely'
import type { Directory } from '../domain/identity/ports.ts'
import type {
  Assignment,
  DomainRecord,
  PolicyRecord,
  PolicyRule,
  PolicyScope,
  RoleRecord,
  UserRecord,
} from '../domain/identity/records.ts'
import { readBoolean } from './boolean.ts'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

export function createLoadStanding({ read }: Database): Directory['loadStanding'] {
  async function loadUser(id: string): Promise<UserRecord | undefined> {
    const row = await read
      .selectFrom('users')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .where('users.id', '=', id)
      .select([
        'users.id',
        'users.name',
        'users.displayname',
        'users.email',
        'users.mobile',
        'users.enabled',
        'users.password_expires_at',
        'users.expires_at',
        'users.default_project_id',
        ...domainColumns('domains'),
      ])
      .executeTakeFirst()
    return (
      row && {
        id: row.id,
        name: row.name,
        displayname: row.displayname,
        email: row.email,
        mobile: row.mobile,
        enabled: readBoolean(row.enabled),
        domain: toDomain(row),
        defaultProjectId: row.default_project_id,
        passwordExpiresAt: row.password_expires_at,
        expiresAt: row.expires_at,
      }
    )
  }

  /** The policies of these roles, by role. */
  async function loadPolicies(roleIds: readonly string[]): Promise<Map<string, PolicyRecord[]>> {
    const rows = await read
      .selectFrom('role_policies')
      .innerJoin('policies', 'policies.id', 'role_policies.policy_id')
      .where('role_policies.role_id', 'in', roleIds)
      .select([
        'role_policies.role_id',
        'policies.id',
        'policies.name',
        'policies.scope',
        'policies.enabled',
        'policies.rules',
      ])
      .orderBy('policies.name_key')
      .execute()
    return Map.groupBy(
      rows.map((row) => ({ ...toPolicy(row), roleId: row.role_id })),
      ({ roleId }) => roleId,
    )
  }

  const heldBy = (userId: string) => (eb: ExpressionBuilder<Tables, 'assignments'>) =>
    eb.or([
      eb('assignments.user_id', '=', userId),
      eb(
        'assignments.group_id',
        'in',
        eb.selectFrom('group_members').select('group_id').where('user_id', '=', userId),
      ),
    ])

  const loadAssignmentRows = (userId: string) =>
    read
      .selectFrom('assignments')
      .where(heldBy(userId))
      .innerJoin('roles', 'roles.id', 'assignments.role_id')
      .innerJoin('domains as role_domain', 'role_domain.id', 'roles.domain_id')
      .leftJoin('groups', 'groups.id', 'assignments.group_id')
      .leftJoin('domains as group_domain', 'group_domain.id', 'groups.domain_id')
      .leftJoin('projects', 'projects.id', 'assignments.project_id')
      .leftJoin('domains', (join) =>
        join.on((eb) =>
          eb.or([
            eb('domains.id', '=', eb.ref('assignments.domain_id')),
            eb('domains.id', '=', eb.ref('projects.domain_id')),
          ]),
        ),
      )
      .select([
        'assignments.role_id',
        'roles.name as role_name',
        'roles.domain_id as role_domain_id',
        'role_domain.name as role_domain_name',
        'assignments.group_id',
        'groups.name as group_name',
        'groups.domain_id as group_domain_id',
        'group_domain.name as group_domain_name',
        'assignments.project_id',
        'projects.name as project_name',
        'projects.description as project_description',
        'projects.enabled as project_enabled',
        ...domainColumns('domains'),
      ])
      .orderBy('roles.name_key')
      .orderBy('projects.name_key')
      .orderBy('domains.name_key')
      .orderBy('assignments.id')
      .execute()

  return async function loadStanding(userId) {
    const user = await loadUser(userId)
    if (!user) return undefined
    const rows = await loadAssignmentRows(userId)
    const roleIds = [...new Set(rows.map((row) => row.role_id))]
    const policies = roleIds.length > 0 ? await loadPolicies(roleIds) : new Map()
    const assignments = rows.map((row): Assignment => {
      const role: RoleRecord = {
        id: row.role_id,
        name: row.role_name,
        domain: { id: row.role_domain_id, name: row.role_domain_name },
        policies: policies.get(row.role_id) ?? [],
      }
      return { role, group: toGroup(row), target: toTarget(row) }
    })
    return { user, assignments }
  }
}

const domainColumns = <Alias extends string>(alias: Alias) =>
  [
    `${alias}.id as domain_id`,
    `${alias}.name as domain_name`,
    `${alias}.description as domain_description`,
    `${alias}.enabled as domain_enabled`,
  ] as const

interface DomainColumns {
  readonly domain_id: string | null
  readonly domain_name: string | null
  readonly domain_description: string | null
  readonly domain_enabled: number | null
}

const toDomain = (row: DomainColumns): DomainRecord => ({
  id: row.domain_id ?? '',
  name: row.domain_name ?? '',
  description: row.domain_description ?? '',
  enabled: readBoolean(row.domain_enabled),
})

const toPolicy = (row: {
  id: string
  name: string
  scope: string
  enabled: number
  rules: string
}): PolicyRecord => ({
  id: row.id,
  name: row.name,
  scope: row.scope as PolicyScope,
  enabled: readBoolean(row.enabled),
  rules: JSON.parse(row.rules) as PolicyRule[],
})

function toGroup(row: {
  group_id: string | null
  group_name: string | null
  group_domain_id: string | null
  group_domain_name: string | null
}): Assignment['group'] {
  if (row.group_id === null) return undefined
  return {
    id: row.group_id,
    name: row.group_name ?? '',
    domain: { id: row.group_domain_id ?? '', name: row.group_domain_name ?? '' },
  }
}

function toTarget(
  row: DomainColumns & {
    project_id: string | null
    project_name: string | null
    project_description: string | null
    project_enabled: number | null
  },
): Assignment['target'] {
  if (row.domain_id === null) return { kind: 'system' }
  const domain = toDomain(row)
  if (row.project_id === null) return { kind: 'domain', domain }
  return {
    kind: 'project',
    project: {
      id: row.project_id,
      name: row.project_name ?? '',
      description: row.project_description ?? '',
      enabled: readBoolean(row.project_enabled),
      domain,
    },
  }
}
