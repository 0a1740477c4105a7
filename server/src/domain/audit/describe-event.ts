import type { Place } from '../identity/administration/resources.ts'
import type { Caller } from '../identity/caller.ts'
import type { Clock } from '../identity/ports.ts'
import type { Origin } from '../identity/records.ts'
import { newEventId, type Changes, type EventRecord } from './event.ts'

/** What was done, to what, and where that lives. */
export interface AuditedAction {
  readonly action: string
  readonly targetType: string
  readonly targetId: string
  readonly targetName: string
  /** Where the target lives: those who administer that place may read of it. */
  readonly place: Place
  readonly changes?: Changes
}

/** A deed that was done, as the audit log keeps it. */
export function createAuditEvent(
  { principal, origin }: Pick<Caller, 'principal' | 'origin'>,
  deed: AuditedAction,
  clock: Clock,
): EventRecord {
  const { user } = principal.userStatus
  return describeEvent({ user, origin, deed, result: 'success', time: clock() })
}

interface Circumstances {
  /** Who did it; nobody known for a login with a name that does not exist. */
  readonly user: { readonly id: string; readonly name: string } | undefined
  readonly origin: Origin
  readonly deed: AuditedAction
  readonly result: EventRecord['result']
  readonly time: number
}

export const describeEvent = (circumstances: Circumstances): EventRecord => {
  const { user, origin, deed, result, time } = circumstances
  return {
    id: newEventId(time),
    time,
    action: deed.action,
    target_type: deed.targetType,
    target_id: deed.targetId,
    target_name: deed.targetName,
    user_id: user?.id ?? '',
    user: user?.name ?? '',
    project_id: deed.place.kind === 'project' ? deed.place.projectId : '',
    domain_id: deed.place.kind === 'system' ? '' : deed.place.domainId,
    ip: origin.ip,
    request_id: origin.requestId,
    result,
    changes: deed.changes ?? {},
  }
}
