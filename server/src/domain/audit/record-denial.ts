import type { Operation } from '@muster/contract'
import type { Clock } from '../identity/ports.ts'
import type { Principal } from '../identity/principal.ts'
import type { Origin } from '../identity/records.ts'
import { describeEvent } from './describe-event.ts'
import { nounOf } from '../identity/administration/resources.ts'
import type { EventStore } from './event-store.ts'
import type { Changes } from './event.ts'

export interface Denial {
  readonly principal: Principal
  readonly origin: Origin
  readonly operation: Pick<Operation, 'id' | 'needs'>
  /** What the path named, by the names of its parts. */
  readonly named: Readonly<Record<string, string | undefined>>
}

/** The word that the event would have had, had it come to that. */
function verbOf({ id }: Pick<Operation, 'id'>): string {
  const [verb = id] = /^[a-z]+/.exec(id) ?? []
  return verbs[verb] ?? verb
}

/** Operations that are named after how they change something. */
const verbs: Readonly<Record<string, string>> = {
  add: 'join',
  remove: 'leave',
  change: 'update',
  merge: 'update',
  replace: 'update',
}

const nouns: Readonly<Record<string, string>> = {
  ...nounOf,
  servers: 'server',
  views: 'view',
  cloudaccounts: 'cloudaccount',
}

/** Keeps that somebody tried to change what they may not: told to those who administer them. */
export function createRecordDenial(events: EventStore, clock: Clock) {
  return async function recordDenial(denial: Denial): Promise<void> {
    const { principal, origin, operation, named } = denial
    const { user } = principal.standing
    const resource = operation.needs?.resource ?? ''
    const deed = {
      action: verbOf(operation),
      targetType: nouns[resource] ?? resource,
      targetId: named['id'] ?? named['user_id'] ?? named['group_id'] ?? '',
      targetName: '',
      place: { kind: 'domain', domainId: user.domain.id },
      changes: { operation: [null, operation.id], named: [null, named] } as Changes,
    } as const
    await events.record(describeEvent({ user, origin, deed, result: 'denied', time: clock() }))
  }
}
export type RecordDenial = ReturnType<typeof createRecordDenial>
