import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** Relations between entities. Each key starts with the kind whose change invalidates it. */

export const groupUsersQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'members', id],
    queryFn: async ({ signal }) => (await api.listGroupUsers({ parameters: { id }, signal })).users,
  })

export const userGroupsQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'of', id],
    queryFn: async ({ signal }) =>
      (await api.listUserGroups({ parameters: { id }, signal })).groups,
  })

/** The projects in which a user has a role. */
export const userProjectsQuery = (id: string) =>
  queryOptions({
    queryKey: ['role_assignments', 'projects-of', id],
    queryFn: async ({ signal }) =>
      (await api.listUserProjects({ parameters: { id }, signal })).projects,
  })

/** The service accounts that a user is responsible for. */
export const ownedAccountsQuery = (id: string) =>
  queryOptions({
    queryKey: ['users', 'owned-by', id],
    queryFn: async ({ signal }) => (await api.listUsers({ query: { owner_id: id }, signal })).users,
  })

/** How many service accounts are without an owner or unused. */
export const neglectedAccountsQuery = queryOptions({
  queryKey: ['users', 'neglected'],
  queryFn: async ({ signal }) => {
    const query = { filter: ["attention.in('ownerless','unused')"], limit: 1 }
    return (await api.listUsers({ query, signal })).total
  },
  refetchInterval: 60_000,
})

export const rolePoliciesQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', 'policies', id],
    queryFn: async ({ signal }) =>
      (await api.listRolePolicies({ parameters: { id }, signal })).policies,
  })

/** The ids of the roles that have a policy for projects. */
export const projectRolesQuery = queryOptions({
  queryKey: ['roles', 'of-projects'],
  queryFn: async ({ signal }) => {
    const { rolepolicies } = await api.listPolicyBindings({ signal })
    const ofProjects = rolepolicies.filter(({ scope }) => scope === 'project')
    return new Set(ofProjects.map(({ role_id }) => role_id))
  },
})

/** The API's limit. */
export const mostSummaries = 200

/** How many servers and users projects have, and who owns them. */
export const projectSummariesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['role_assignments', 'of-projects', ids],
    queryFn: async ({ signal }) =>
      (await api.getProjectSummaries({ query: { project_id: ids }, signal })).project_summaries,
    placeholderData: keepPreviousData,
  })

/** How many servers of a project the user can see. */
export const projectServersQuery = (id: string) =>
  queryOptions({
    queryKey: ['servers', 'of-project', id],
    queryFn: async ({ signal }) => {
      const query = { project_id: id, scope: 'max', limit: 1, field: ['id'] } as const
      return (await api.listServers({ query, signal })).total
    },
  })
