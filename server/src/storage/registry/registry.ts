import type { PolicyScope } from '@muster/contract'
import { sql } from 'kysely'
import type { Registry } from '../../domain/identity/administration/registry.ts'
import type { DatabaseReader, IdentityWriter } from '../database.ts'
import { createLoadAssignments } from '../identity/load-assignments.ts'
import { createApplyChange } from './apply-change.ts'
import { createGrants } from './grants.ts'
import { createImpactOf } from './impact.ts'
import { createResourceLists } from './resource-lists.ts'

export function createRegistry(database: DatabaseReader & IdentityWriter): Registry {
  const { db } = database
  const { loadAssignments, loadPolicies } = createLoadAssignments(database)
  return {
    ...createResourceLists(database),
    ...createGrants(database),
    assignmentsOf: loadAssignments,

    async listPolicyBindings() {
      const rows = await db
        .selectFrom('role_policies')
        .innerJoin('roles', 'roles.id', 'role_policies.role_id')
        .innerJoin('policies', 'policies.id', 'role_policies.policy_id')
        .select([
          'roles.name as role',
          'role_policies.role_id',
          'policies.name as policy',
          'role_policies.policy_id',
          'policies.scope',
        ])
        .orderBy('roles.name_key')
        .orderBy('policies.name_key')
        .execute()
      return rows.map((row) => ({ ...row, scope: row.scope as PolicyScope }))
    },

    async policiesOfRole(roleId) {
      const policies = await loadPolicies([roleId])
      return policies.get(roleId) ?? []
    },

    async isMember(groupId, userId) {
      const row = await db
        .selectFrom('group_members')
        .select('user_id')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row !== undefined
    },

    async findSubject(providerId, subject) {
      const row = await db
        .selectFrom('subjects')
        .select('user_id')
        .where('provider_id', '=', providerId)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return row?.user_id
    },

    async countAccessKeys(userId, now) {
      const isLive = sql`case when expires_at is null or expires_at > ${now} then 1 end`
      const { all, live } = await db
        .selectFrom('access_keys')
        .where('user_id', '=', userId)
        .select([sql<number>`count(*)`.as('all'), sql<number>`count(${isLive})`.as('live')])
        .executeTakeFirstOrThrow()
      return { all, live }
    },

    impactOf: createImpactOf(database),
    applyChange: createApplyChange(database),
  }
}
