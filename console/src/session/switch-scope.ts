import type { SessionDto } from '@muster/contract'
import { api } from '../api/client.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'
import { notifyOtherTabs } from './other-tabs.ts'
import { rememberScope, type SessionScope } from './remembered-scope.ts'

/** Switches the session to another project or domain, and reloads everything. */
export async function switchScope(scope: SessionScope): Promise<SessionDto> {
  const { session } = await api.switchScope({ body: { scope } })
  rememberScope(session.user.id, scope)
  notifyOtherTabs('changed')
  queryClient.setQueryData(sessionQuery.queryKey, session)
  await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  return session
}
