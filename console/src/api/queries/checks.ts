import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { nextMarker } from '../marker-of.ts'
import { statisticsInterval } from './statistics.ts'

/** A user sees at most those of the system, of a domain and of a project. */
const most = 500
const pageSize = 100

/** The checks that the user can see, those with the most open violations first. */
export const checksQuery = queryOptions({
  queryKey: ['checks', 'list'],
  queryFn: async ({ signal }) => {
    const query = { limit: most, order_by: ['violations' as const], order: 'desc' as const }
    return (await api.listChecks({ query: { ...query, scope: 'max' }, signal })).checks
  },
  refetchInterval: statisticsInterval,
})

export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ['checks', 'one', id],
    queryFn: async ({ signal }) => (await api.getCheck({ parameters: { id }, signal })).check,
    refetchInterval: statisticsInterval,
  })

/** The violations of a check that last, or those that ended, the newest first. */
export const violationsQuery = (id: string, isOpen: boolean) =>
  infiniteQueryOptions({
    queryKey: ['checks', 'violations', id, isOpen],
    queryFn: async ({ pageParam: marker, signal }) => {
      const filter = { is_open: isOpen, order_by: ['since' as const], order: 'desc' as const }
      const query = { ...filter, limit: pageSize, scope: 'max' as const, marker }
      const { body, headers } = await api.request('listCheckViolations', {
        parameters: { id },
        query,
        signal,
      })
      return { violations: body.violations, next: nextMarker(headers) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
