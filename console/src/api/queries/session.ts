import { keepPreviousData, queryOptions } from '@tanstack/react-query'
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

/** How people of a domain log in, or of any domain. */
export const loginOptionsQuery = (domain = '') =>
  queryOptions({
    queryKey: ['login', domain],
    queryFn: ({ signal }) =>
      api.showLoginOptions({ query: domain === '' ? {} : { domain }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
