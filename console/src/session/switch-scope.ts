import type { SessionView } from '@muster/contract'
import { api } from '../api/client.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'
import { tellOtherTabs } from './other-tabs.ts'
import type { Place } from './place.ts'
import { rememberScope } from './remembered-scope.ts'

/** Goes to another project or domain: everything that was loaded is of the one before. */
export async function switchScope(place: Place): Promise<SessionView> {
  const { session } = await api.switchScope({ body: { scope: place } })
  rememberScope(session.user.id, place)
  tellOtherTabs('changed')
  queryClient.setQueryData(sessionQuery.queryKey, session)
  await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  return session
}
