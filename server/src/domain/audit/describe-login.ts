import type { Place } from '../identity/administration/resources.ts'
import type { KnownUser, Origin } from '../identity/records.ts'
import { describeEvent } from './describe-event.ts'
import type { EventRecord } from './event.ts'

interface Login {
  /** Undefined where no account has the name that was given. The name itself is not kept: people type passwords there. */
  readonly user: KnownUser | undefined
  readonly method: string
  /** The project that the token is for, if it is for one. */
  readonly projectId: string
  readonly origin: Origin
  readonly time: number
  /** Why it failed; a login that did not fail has none. */
  readonly reason?: string
}

/** A login as the audit log tells of it: to those who administer the user. */
export function describeLogin(login: Login): EventRecord {
  const { user, method, projectId, origin, time, reason } = login
  const domainId = user?.domainId ?? ''
  const place: Place =
    projectId === '' ? { kind: 'domain', domainId } : { kind: 'project', projectId, domainId }
  return describeEvent({
    user,
    origin,
    time,
    result: reason === undefined ? 'success' : 'failure',
    deed: {
      action: 'login',
      targetType: 'user',
      targetId: user?.id ?? '',
      targetName: user?.name ?? '',
      place,
      changes: {
        method: [null, method],
        ...(reason !== undefined && { reason: [null, reason] as [unknown, unknown] }),
      },
    },
  })
}
