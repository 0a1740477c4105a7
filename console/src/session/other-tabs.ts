import { isApiError } from '@muster/sdk'
import { endSession } from '../api/end-session.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'

/** `changed`: logged in, or in another project. */
type News = 'changed' | 'out'

/** All tabs of a browser have one cookie: what one does to the session, it does to all. */
const channel = new BroadcastChannel('muster.session')

/** The session first, and without letting go of it: whether it is over is noticed only by who has one. */
async function startAgain(): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  } catch (error) {
    if (isApiError(error, 'UnauthorizedError')) return
  }
  await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
}

/** What is shown here is of before. */
channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
  if (queryClient.getQueryData(sessionQuery.queryKey) === undefined) return
  if (data === 'out') endSession('out')
  else void startAgain()
})

export const notifyOtherTabs = (news: News): void => channel.postMessage(news)
