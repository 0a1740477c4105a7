import type { CheckViolation, Server } from '@muster/contract'
import { isApiError } from '@muster/sdk'
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

/** A violation, and the server that it is about, unless that is deleted or in the recycle bin. */
export interface Violation extends CheckViolation {
  readonly server: Partial<Server> | undefined
}

/** The servers of violations by id. Without access to them, the violations have names only. */
async function serversOf(violations: readonly CheckViolation[], signal: AbortSignal) {
  const isOfServer = ({ subject_kind: kind }: CheckViolation) => kind === 'server'
  const ids = violations.filter(isOfServer).map(({ subject_id: id }) => id)
  if (ids.length === 0) return new Map<string, Partial<Server>>()
  const field = ['id', 'project', 'os_name', 'metadata']
  const query = { id: ids, field, limit: ids.length, scope: 'max' } as const
  try {
    const { servers } = await api.listServers({ query, signal })
    return new Map(servers.map((server) => [server.id ?? '', server as Partial<Server>]))
  } catch (error) {
    if (isApiError(error, 'ForbiddenError')) return new Map<string, Partial<Server>>()
    throw error
  }
}

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
      const servers = await serversOf(body.violations, signal)
      const violations = body.violations.map((violation): Violation => ({
        ...violation,
        server: servers.get(violation.subject_id),
      }))
      return { violations, next: nextMarker(headers) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
