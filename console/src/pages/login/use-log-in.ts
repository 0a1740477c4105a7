import type { FirstPassword, PasswordLogin, SessionDto } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries/session.ts'
import { queryClient } from '../../api/query-client.ts'
import { notifyOtherTabs } from '../../session/other-tabs.ts'
import { rememberedScope, type SessionScope } from '../../session/remembered-scope.ts'
import { switchScope } from '../../session/switch-scope.ts'
import { forgetLinkSecret } from './link-secret.ts'

export type LogIn = UseMutationResult<void, unknown, PasswordLogin>

/** Accepts only paths of this console, to prevent open redirects. */
function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/'
}

function beginSession(session: SessionDto): void {
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session)
  notifyOtherTabs('changed')
}

/** Sets a first password with the secret of a link, and logs in with it. */
export function useSetFirstPassword() {
  const router = useRouter()
  return useMutation({
    mutationFn: async (body: FirstPassword) => {
      beginSession((await api.createFirstSession({ body })).session)
      forgetLinkSecret()
      await router.navigate({ to: '/', replace: true })
    },
  })
}

/** Logs in and opens the requested page. Calls back if the password is right, and a code is missing. */
export function useLogIn(onCodeNeeded: (login: PasswordLogin) => void): LogIn {
  const router = useRouter()
  const search = useSearch({ strict: false })
  return useMutation({
    mutationFn: async (login: PasswordLogin) => {
      const { session } = await api.createSession({ body: login })
      beginSession(session)
      // The page that asks for a factor comes first.
      if (session.second_factor.required === 'none') await restoreLastScope(session)
      await router.navigate({ href: `/console${safeNext(search['next'])}`, replace: true })
    },
    onError(error, login) {
      if (isApiError(error, 'FactorRequiredError')) onCodeNeeded(login)
    },
  })
}

const isAt = ({ scope }: SessionDto, wanted: SessionScope) =>
  'project_id' in wanted
    ? scope.kind === 'project' && scope.id === wanted.project_id
    : scope.kind === 'domain' && scope.id === wanted.domain_id

const offers = ({ projects, domains }: SessionDto, wanted: SessionScope) =>
  'project_id' in wanted
    ? projects.some(({ id }) => id === wanted.project_id)
    : domains.some(({ id }) => id === wanted.domain_id)

/** Restores the last project or domain after a login, if it is still available. */
async function restoreLastScope(session: SessionDto): Promise<void> {
  const last = rememberedScope(session.user.id)
  if (last && !isAt(session, last) && offers(session, last)) await switchScope(last)
}
