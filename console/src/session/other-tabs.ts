import { isApiError } from '@muster/sdk'
import { endSession } from '../api/end-session.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'

/** `changed`: a user logged in or switched the project. */
type SessionChange = 'changed' | 'out'

/** All tabs share one session cookie. */
const channel = new BroadcastChannel('muster.session')

interface Keyed {
  readonly queryKey: readonly unknown[]
}
const isData = ({ queryKey }: Keyed) => queryKey[0] !== sessionQuery.queryKey[0]

/** Whose data, and of which scope, this tab has. */
let held: string | undefined

/** No data of one scope under the name of another, also in a tab that slept while another one switched. */
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type !== 'updated' || isData(query)) return
  const session = queryClient.getQueryData(sessionQuery.queryKey)
  if (!session) return
  const next = `${session.user.id} ${session.scope.id}`
  if (held !== undefined && held !== next) void queryClient.resetQueries({ predicate: isData })
  held = next
})

/** Refetch the session first: if it has ended, the login page follows. */
async function startAgain(): Promise<void> {
  const before = held
  // Their responses would be of the new scope.
  await queryClient.cancelQueries({ predicate: isData })
  try {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  } catch (error) {
    if (isApiError(error, 'UnauthorizedError')) return
  }
  if (held === before) await queryClient.resetQueries({ predicate: isData })
}

/** Another tab changed the session: this tab shows old data. */
channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => {
  if (queryClient.getQueryData(sessionQuery.queryKey) === undefined) return
  if (data === 'out') endSession('out')
  else void startAgain()
})

export const notifyOtherTabs = (change: SessionChange): void => channel.postMessage(change)
