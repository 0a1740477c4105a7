import type { SessionDto } from '@muster/contract'
import { api } from '../api/client.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'
import { notifyOtherTabs } from './other-tabs.ts'
import { rememberScope, type SessionScope } from './remembered-scope.ts'

let own: string | undefined

/** Whether this tab has switched to a scope, and not another one. */
export const isOwnSwitch = (scopeId: string): boolean => scopeId === own

/** Switches the session to another project or domain. Everything is loaded again. */
export async function switchScope(scope: SessionScope): Promise<SessionDto> {
  const { session } = await api.switchScope({ body: { scope } })
  rememberScope(session.user.id, scope)
  own = session.scope.id
  notifyOtherTabs('changed')
  queryClient.setQueryData(sessionQuery.queryKey, session)
  return session
}
