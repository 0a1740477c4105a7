import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** What belongs to one entity of identity. Keys start with the noun whose change may change it. */

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

export const rolePoliciesQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', 'policies', id],
    queryFn: async ({ signal }) =>
      (await api.listRolePolicies({ parameters: { id }, signal })).policies,
  })

/** How many servers a project has, as far as the caller sees them. */
export const projectServersQuery = (id: string) =>
  queryOptions({
    queryKey: ['servers', 'of-project', id],
    queryFn: async ({ signal }) => {
      const query = { project_id: id, scope: 'max', limit: 1, field: ['id'] } as const
      return (await api.listServers({ query, signal })).total
    },
  })
