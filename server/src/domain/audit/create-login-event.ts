import type { Scope } from '../scope.ts'
import type { UserSummary } from '../user-summary.ts'
import type { RequestOrigin } from '../request-origin.ts'
import { createEvent } from './create-event.ts'
import type { EventRecord } from './event.ts'

interface Login {
  /** Undefined for an unknown name. The name itself is not stored: people type passwords there. */
  readonly user: UserSummary | undefined
  readonly method: string
  /** The second factor, if it took one. */
  readonly factor?: string | undefined
  /** The token's project; empty for another scope. */
  readonly projectId: string
  readonly origin: RequestOrigin
  readonly time: number
  /** Why the login failed; undefined for a successful one. */
  readonly reason?: string
}

/** The action of the second event of a login that should be rare, so that alerts can select it. */
export const breakGlassLogin = 'break_glass_login'

/** The event of a login, for those who administer the user. */
export function createLoginEvent(login: Login, action = 'login'): EventRecord {
  const { user, method, factor, projectId, origin, time, reason } = login
  const domainId = user?.domainId ?? ''
  const scope: Scope =
    projectId === '' ? { kind: 'domain', domainId } : { kind: 'project', projectId, domainId }
  return createEvent({
    user,
    origin,
    time,
    result: reason === undefined ? 'success' : 'failure',
    action: {
      action,
      targetType: 'user',
      targetId: user?.id ?? '',
      targetName: user?.name ?? '',
      scope,
      changes: {
        method: [null, method],
        ...(factor !== undefined && { factor: [null, factor] as [unknown, unknown] }),
        ...(reason !== undefined && { reason: [null, reason] as [unknown, unknown] }),
      },
    },
  })
}
