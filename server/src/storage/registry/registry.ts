import type { PolicyBindingDto } from '@muster/contract'
import { sql, type Selectable } from 'kysely'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { Registry, StoredLink } from '../../domain/identity/administration/registry.ts'
import { selectKeys } from '../../domain/query/select-keys.ts'
import { readBoolean } from '../boolean.ts'
import type { DatabaseReader, IdentityWriter } from '../database.ts'
import { listPasswordUsers } from '../identity/local-passwords.ts'
import { createLoginRuleImpact } from '../identity/login-rule-impact.ts'
import { createLoadAssignments } from '../identity/load-assignments.ts'
import { createListRows, sqlFieldsOf } from '../list-rows.ts'
import { createApplyChange } from './apply-change.ts'
import { findAdministrator } from './find-administrator.ts'
import { createGrants } from './grants.ts'
import { createImpactOf } from './impact.ts'
import type { Tables } from '../tables.ts'
import { createSummarizeProjects } from './project-summaries.ts'
import { createResourceLists } from './resource-lists.ts'
import type { AttentionRule } from './service-account-attention.ts'

const bindingFields = queryFieldsByKind.rolepolicies

const toLink = (
  row: Selectable<Tables['subjects']> & { readonly enabled: number },
): StoredLink => ({
  providerId: row.provider_id,
  subject: row.subject,
  userId: row.user_id,
  confirmedAt: row.confirmed_at,
  endedAt: row.ended_at,
  isEnabled: readBoolean(row.enabled),
})

export function createRegistry(
  database: DatabaseReader & IdentityWriter,
  rule: AttentionRule = { clock: Date.now, unusedAfter: 0 },
): Registry {
  const { db } = database
  const { loadAssignments, loadPolicies } = createLoadAssignments(database)
  const listRows = createListRows(database)
  const bindings = {
    columns: sql.raw('*'),
    from: sql`(select role_id || ':' || policy_id as id, roles.name || '/' || policies.name as name,
        roles.name as role, role_id, policies.name as policy, policy_id, policies.scope
      from role_policies join roles on roles.id = role_id join policies on policies.id = policy_id
    ) as bindings`,
    conditions: [],
    fields: sqlFieldsOf(database.engine, bindingFields, (field) => sql.ref(field)),
    searched: bindingFields.searched,
    id: sql.ref('id'),
  }
  const selectLinks = () =>
    db
      .selectFrom('subjects')
      .innerJoin('users', 'users.id', 'subjects.user_id')
      .selectAll('subjects')
      .select('users.enabled')

  return {
    ...createResourceLists(database, rule),
    ...createGrants(database),
    assignmentsOf: loadAssignments,

    listPolicyBindings: (query, requester) =>
      listRows(
        bindings,
        query,
        (row) => selectKeys(row, Object.keys(bindings.fields)) as PolicyBindingDto,
        { requester },
      ),

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

    async findProviderSecrets(providerId) {
      const row = await db
        .selectFrom('identity_providers')
        .select('secrets')
        .where('id', '=', providerId)
        .executeTakeFirst()
      return row?.secrets ?? undefined
    },

    async findLink(providerId, subject) {
      const links = selectLinks().where('provider_id', '=', providerId)
      const row = await links.where('subject', '=', subject).executeTakeFirst()
      return row && toLink(row)
    },

    async listLinks(of) {
      const links = selectLinks().orderBy('provider_id').orderBy('subject')
      const own =
        'userId' in of
          ? links.where('user_id', '=', of.userId)
          : links.where('provider_id', '=', of.providerId)
      const rows = await own.execute()
      return rows.map(toLink)
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

    listPasswordUsers: (domainId, now) => listPasswordUsers(db, domainId, now),
    loginRuleImpact: createLoginRuleImpact(db),
    async takesLastPassword(domainId) {
      const administrators = () => findAdministrator(db, 'password')
      if (!(await administrators().executeTakeFirst())) return false
      const remaining = administrators().where((eb) =>
        eb.or([eb('users.domain_id', '<>', domainId), eb('users.break_glass', '=', 1)]),
      )
      return (await remaining.executeTakeFirst()) === undefined
    },

    impactOf: createImpactOf(database),
    summarizeProjects: createSummarizeProjects(database),
    applyChange: createApplyChange(database),
  }
}
