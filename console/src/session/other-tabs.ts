import { isApiError } from '@muster/sdk'
import { endSession } from '../api/end-session.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'

/** `changed`: a user logged in or switched the project. */
type SessionChange = 'changed' | 'out'

/** All tabs share one session cookie. */
const channel = new BroadcastChannel('muster.session')

/** Refetch the session first: if it has ended, the login page follows. */
async function startAgain(): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  } catch (error) {
    if (isApiError(error, 'UnauthorizedError')) return
  }
  await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
}

/** Another tab changed the session: this tab shows old data. */
channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => {
  if (queryClient.getQueryData(sessionQuery.queryKey) === undefined) return
  if (data === 'out') endSession('out')
  else void startAgain()
})

export const notifyOtherTabs = (change: SessionChange): void => channel.postMessage(change)
