import { createEvent, type AuditedAction } from '../domain/audit/create-event.ts'
import type { EventRecord } from '../domain/audit/event.ts'
import type { Clock } from '../domain/clock.ts'

/** The audit event of an admin command. It has no user: whoever may run the command has all rights. */
export const createAdminEvent = (clock: Clock, action: AuditedAction): EventRecord =>
  createEvent({
    user: { id: '', name: 'muster admin' },
    origin: { ip: '', requestId: '', isConfidential: true },
    action,
    result: 'success',
    time: clock(),
  })
