import type { Scope } from '../scope.ts'
import type { UserSummary } from '../user-summary.ts'
import type { RequestOrigin } from '../request-origin.ts'
import { createEvent } from './create-event.ts'
import type { EventRecord } from './event.ts'

interface Login {
  /** Undefined where no account has the name that was given. The name itself is not kept: people type passwords there. */
  readonly user: UserSummary | undefined
  readonly method: string
  /** The project that the token is for, if it is for one. */
  readonly projectId: string
  readonly origin: RequestOrigin
  readonly time: number
  /** Why it failed; a login that did not fail has none. */
  readonly reason?: string
}

/** A login as the audit log tells of it: to those who administer the user. */
export function createLoginEvent(login: Login): EventRecord {
  const { user, method, projectId, origin, time, reason } = login
  const domainId = user?.domainId ?? ''
  const scope: Scope =
    projectId === '' ? { kind: 'domain', domainId } : { kind: 'project', projectId, domainId }
  return createEvent({
    user,
    origin,
    time,
    result: reason === undefined ? 'success' : 'failure',
    action: {
      action: 'login',
      targetType: 'user',
      targetId: user?.id ?? '',
      targetName: user?.name ?? '',
      scope,
      changes: {
        method: [null, method],
        ...(reason !== undefined && { reason: [null, reason] as [unknown, unknown] }),
      },
    },
  })
}
