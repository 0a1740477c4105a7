import { createEvent, type AuditedAction } from '../audit/create-event.ts'
import type { EventRecord } from '../audit/event.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from './caller.ts'

/** The audit event of an action that a caller completed. */
export const createAuditEvent = (
  { principal, origin }: Pick<Caller, 'principal' | 'origin'>,
  action: AuditedAction,
  clock: Clock,
): EventRecord =>
  createEvent({ user: principal.userStatus.user, origin, action, result: 'success', time: clock() })
