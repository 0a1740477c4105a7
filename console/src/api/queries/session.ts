import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** The user, the scope and the permissions of the session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await api.getSession({ signal })).session,
  staleTime: 60_000,
  // Another tab may have switched the project while this one slept.
  refetchOnWindowFocus: 'always',
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await api.listSessions({ signal })).sessions,
})

export const loginOptionsQuery = queryOptions({
  queryKey: ['login'],
  queryFn: ({ signal }) => api.showLoginOptions({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
