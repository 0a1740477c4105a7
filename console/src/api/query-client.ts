import { ApiError } from '@muster/sdk'
import { QueryCache, QueryClient, MutationCache } from '@tanstack/react-query'
import { endSession } from './end-session.ts'
import { sessionQuery } from './queries/session.ts'

const isRefusal = (error: unknown) => error instanceof ApiError && error.status === 401

/**
 * Whether the session itself is over, or only the one that a request had with it: one that was on its
 * way while another tab changed the project comes too late, and the session goes on.
 */
async function lookAgain(): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await queryClient.invalidateQueries({
      predicate: ({ queryKey, state }) => queryKey[0] !== 'session' && isRefusal(state.error),
    })
  } catch {
    // Said by the question for the session itself.
  }
}

/** A session that has ended ends the page too, whichever request noticed. Without one, none has ended. */
function notice(error: unknown, queryKey: readonly unknown[] = []): void {
  const hadSession = queryClient.getQueryData(sessionQuery.queryKey) !== undefined
  if (!hadSession || !isRefusal(error)) return
  if (queryKey[0] === sessionQuery.queryKey[0]) endSession('ended')
  else void lookAgain()
}

const tries = 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => notice(error, queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => notice(error) }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only what may pass by itself is asked again.
      retry: (failures, error) =>
        failures < tries && !(error instanceof ApiError && error.status < 500),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
  },
})
