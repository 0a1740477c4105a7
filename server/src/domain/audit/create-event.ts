import type { RequestOrigin } from '../request-origin.ts'
import type { Scope } from '../scope.ts'
import { newEventId, type Changes, type EventRecord } from './event.ts'

/** What was done, to what, and in which scope. */
export interface AuditedAction {
  readonly action: string
  readonly targetType: string
  readonly targetId: string
  readonly targetName: string
  /** The target's scope: those who administer it may read the event. */
  readonly scope: Scope
  readonly changes?: Changes
}

interface EventInput {
  /** Undefined for a login with a name that does not exist. */
  readonly user: { readonly id: string; readonly name: string } | undefined
  readonly origin: RequestOrigin
  readonly action: AuditedAction
  readonly result: EventRecord['result']
  readonly time: number
}

export const createEvent = ({ user, origin, action, result, time }: EventInput): EventRecord => ({
  id: newEventId(time),
  time,
  action: action.action,
  target_type: action.targetType,
  target_id: action.targetId,
  target_name: action.targetName,
  user_id: user?.id ?? '',
  user: user?.name ?? '',
  project_id: action.scope.kind === 'project' ? action.scope.projectId : '',
  domain_id: action.scope.kind === 'system' ? '' : action.scope.domainId,
  ip: origin.ip,
  request_id: origin.requestId,
  result,
  changes: {
    ...action.changes,
    ...(origin.through !== undefined && { through: [null, origin.through] }),
  },
  record: 'event',
  not_observed_since: null,
})
