import type { SessionDto } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { api } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries/session.ts'
import { queryClient } from '../../api/query-client.ts'
import { notifyOtherTabs } from '../../session/other-tabs.ts'

interface Passwords {
  readonly original: string
  readonly next: string
}

/**
 * Changes the password and logs in again with the new one, since every login of the user ends with it.
 * A wrong password is told apart from a session that is over: both are 401.
 */
export async function changePassword(
  { user, scope }: SessionDto,
  { original, next }: Passwords,
): Promise<'changed' | 'wrong'> {
  try {
    await api.changeOwnPassword({
      parameters: { id: user.id },
      body: { user: { original_password: original, password: next } },
    })
  } catch (error) {
    if (!isApiError(error, 'UnauthorizedError')) throw error
    await api.getSession()
    return 'wrong'
  }
  const { session } = await api.createSession({
    body: {
      name: user.name,
      domain: user.domain.name,
      password: next,
      ...(scope.kind !== 'none' && { scope: { [`${scope.kind}_id`]: scope.id } }),
    },
  })
  queryClient.setQueryData(sessionQuery.queryKey, session)
  notifyOtherTabs('changed')
  await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  return 'changed'
}
