import type { ExpressionBuilder } from 'kysely'
import type { Level } from '@muster/contract'
import type { Holder } from '../../domain/identity/administration/resources.ts'
import type {
  Assignment,
  PolicyRecord,
  PolicyRule,
  RoleRecord,
} from '../../domain/identity/records.ts'
import { readBoolean } from '../boolean.ts'
import type { DatabaseReader } from '../database.ts'
import { domainColumns, toDomain, type DomainColumns } from './domain-columns.ts'
import type { Tables } from '../tables.ts'

/** Reads the role assignments of a user or a group, with the policies of each role. */
export function createLoadAssignments({ db }: DatabaseReader) {
  /** The policies of these roles, by role. */
  async function loadPolicies(roleIds: readonly string[]): Promise<Map<string, PolicyRecord[]>> {
    const rows = await db
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

  const heldBy = (holder: Holder) => (eb: ExpressionBuilder<Tables, 'assignments'>) =>
    holder.kind === 'group'
      ? eb('assignments.group_id', '=', holder.id)
      : eb.or([
          eb('assignments.user_id', '=', holder.id),
          eb(
            'assignments.group_id',
            'in',
            eb.selectFrom('group_members').select('group_id').where('user_id', '=', holder.id),
          ),
        ])

  const loadAssignmentRows = (holder: Holder) =>
    db
      .selectFrom('assignments')
      .where(heldBy(holder))
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
        'projects.created_at as project_created_at',
        ...domainColumns('domains'),
      ])
      .orderBy('roles.name_key')
      .orderBy('projects.name_key')
      .orderBy('domains.name_key')
      .orderBy('assignments.id')
      .execute()

  async function loadAssignments(holder: Holder): Promise<Assignment[]> {
    const rows = await loadAssignmentRows(holder)
    const roleIds = [...new Set(rows.map((row) => row.role_id))]
    const policies = roleIds.length > 0 ? await loadPolicies(roleIds) : new Map()
    return rows.map((row): Assignment => {
      const role: RoleRecord = {
        id: row.role_id,
        name: row.role_name,
        domain: { id: row.role_domain_id, name: row.role_domain_name },
        policies: policies.get(row.role_id) ?? [],
      }
      return { role, group: toGroup(row), target: toTarget(row) }
    })
  }

  return { loadAssignments, loadPolicies }
}

const toPolicy = (row: {
  id: string
  name: string
  scope: string
  enabled: number
  rules: string
}): PolicyRecord => ({
  id: row.id,
  name: row.name,
  scope: row.scope as Level,
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
    project_created_at: number | null
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
      createdAt: row.project_created_at ?? 0,
      domain,
    },
  }
}
