import type { Input } from '@muster/sdk'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

type Query = NonNullable<Input<'listRoleAssignments'>['query']>
export type AssignmentQuery = Omit<Query, 'include_names' | 'limit' | 'marker'>

const pageSize = 500

/** Role assignments with names. Beyond the first page, only whether there are more is known. */
export const assignmentsQuery = (query: AssignmentQuery) =>
  queryOptions({
    queryKey: ['role_assignments', query],
    queryFn: async ({ signal }) => {
      const { role_assignments: assignments, links } = await api.listRoleAssignments({
        query: { ...query, include_names: true, limit: pageSize },
        signal,
      })
      return { assignments, hasMore: links.next !== null }
    },
  })
