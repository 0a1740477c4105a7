import { ApiError, isApiError } from '@muster/sdk'
import { QueryCache, QueryClient, MutationCache } from '@tanstack/react-query'
import { endSession } from './end-session.ts'
import { sessionQuery } from './queries/session.ts'

const isUnauthorized = (error: unknown) => error instanceof ApiError && error.status === 401

/**
 * A 401 may be outdated: another tab switched the project, and the session is still valid. So the
 * session and the rejected queries are fetched again.
 */
async function checkSession(): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await queryClient.invalidateQueries({
      predicate: ({ queryKey, state }) => queryKey[0] !== 'session' && isUnauthorized(state.error),
    })
  } catch {
    // The session's own query reports its failure.
  }
}

/** Opens the login page if the session has ended, whichever request detects it. */
export function handleUnauthorized(error: unknown, queryKey: readonly unknown[] = []): void {
  const hadSession = queryClient.getQueryData(sessionQuery.queryKey) !== undefined
  if (!hadSession || !isUnauthorized(error)) return
  if (queryKey[0] === sessionQuery.queryKey[0]) endSession('ended')
  else void checkSession()
}

/** The session itself tells whether its user must add a factor or send a code before anything else. */
function handleFactorRequired(error: unknown): void {
  const session = queryClient.getQueryData(sessionQuery.queryKey)
  if (!session || !isApiError(error, 'FactorRequiredError')) return
  if (error.values['reason'] === 'log_in') endSession('factor')
  else if (session.second_factor.required === 'none') void checkSession()
}

function handleError(error: unknown, queryKey?: readonly unknown[]): void {
  handleUnauthorized(error, queryKey)
  handleFactorRequired(error)
}

const retries = 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => handleError(error, queryKey),
  }),
  mutationCache: new MutationCache({ onError: (error) => handleError(error) }),
  defaultOptions: {
    // The connection monitor detects being offline by failed requests.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      // Retrying does not help against a rejection.
      retry: (failures, error) =>
        failures < retries && !(error instanceof ApiError && error.status < 500),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
  },
})
