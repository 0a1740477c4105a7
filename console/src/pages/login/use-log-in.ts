import type { PasswordLogin } from '@muster/contract'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries/session.ts'
import { queryClient } from '../../api/query-client.ts'
import { notifyOtherTabs } from '../../session/other-tabs.ts'
import { restoreLastScope } from '../../session/restore-last-scope.ts'

export type LogIn = UseMutationResult<void, unknown, PasswordLogin>

/** Only a page of this console: an address from elsewhere leads to the overview. */
function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/'
}

/** Logs in, and goes on to where the user wanted to be. */
export function useLogIn(): LogIn {
  const router = useRouter()
  const search = useSearch({ strict: false })
  return useMutation({
    mutationFn: async (login: PasswordLogin) => {
      const { session } = await api.createSession({ body: login })
      queryClient.clear()
      queryClient.setQueryData(sessionQuery.queryKey, session)
      notifyOtherTabs('changed')
      await restoreLastScope(session)
      await router.navigate({ href: `/console${safeNext(search['next'])}`, replace: true })
    },
  })
}
