import type { Operation } from '@muster/contract'
import type { Clock } from '../identity/ports.ts'
import type { Principal } from '../identity/principal.ts'
import type { Origin } from '../identity/records.ts'
import { describeEvent } from './describe-event.ts'
import { nounOf } from '../identity/administration/resources.ts'
import type { EventStore } from './event-store.ts'
import type { Changes, EventRecord } from './event.ts'

export interface Denial {
  readonly principal: Principal
  readonly origin: Origin
  readonly operation: Pick<Operation, 'id' | 'permission'>
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

/** How long repeats are counted before a row sums them up. */
const defaultWindow = 60_000
const mostWindows = 10_000
/** Of what the summed up requests named, so many are told. */
const mostNamed = 10

/** Repeats of one refused operation by one user, since the last row about them. */
interface Window {
  count: number
  named: Denial['named'][]
  last: EventRecord
  readonly timer: NodeJS.Timeout
}

/**
 * Records that somebody tried to change what they may not, for those who administer them. The first
 * time is a row at once; repeats of the operation by the same user are one row a minute with their
 * number, so that no caller can fill the log.
 */
export function createRecordDenial(events: EventStore, clock: Clock, length = defaultWindow) {
  const windows = new Map<string, Window>()
  const writing = new Set<Promise<unknown>>()

  function close(key: string, window: Window): void {
    clearInterval(window.timer)
    windows.delete(key)
  }

  function open(key: string, last: EventRecord): void {
    const [oldest] = windows
    if (oldest && windows.size >= mostWindows) {
      close(...oldest)
      sumUpInBackground(oldest[1])
    }
    const timer = setInterval(() => {
      const window = windows.get(key)
      if (window && window.count > 0) sumUpInBackground(window)
      else if (window) close(key, window)
    }, length)
    windows.set(key, { count: 0, named: [], last, timer: timer.unref() })
  }

  async function sumUp(window: Window): Promise<void> {
    const { count, named, last } = window
    if (count === 0) return
    Object.assign(window, { count: 0, named: [] })
    const sums: Changes = { named: [null, named], repeated: [null, count] }
    try {
      await events.record({ ...last, changes: { ...last.changes, ...sums } })
    } catch (error) {
      window.count += count
      window.named = [...named, ...window.named].slice(0, mostNamed)
      throw error
    }
  }

  /** What could not be written is part of the next row. */
  function sumUpInBackground(window: Window): void {
    const write = sumUp(window)
      .catch(() => {})
      .finally(() => writing.delete(write))
    writing.add(write)
  }

  async function recordDenial(denial: Denial): Promise<void> {
    const { operation, named, principal } = denial
    const event = toEvent(denial, clock())
    const key = `${principal.userStatus.user.id} ${operation.id}`
    const window = windows.get(key)
    if (window) {
      window.count += 1
      window.last = event
      if (window.named.length < mostNamed) window.named.push(named)
      return
    }
    open(key, event)
    await events.record(event)
  }

  return {
    recordDenial,
    /** Writes what has been counted so far: before the process ends. */
    async sumUpDenials(): Promise<void> {
      await Promise.all(writing)
      const rest = [...windows]
      for (const [key, window] of rest) close(key, window)
      for (const [, window] of rest) await sumUp(window)
    },
  }
}
export type RecordDenial = ReturnType<typeof createRecordDenial>['recordDenial']

function toEvent({ principal, origin, operation, named }: Denial, time: number): EventRecord {
  const { user } = principal.userStatus
  const resource = operation.permission?.resource ?? ''
  const deed = {
    action: verbOf(operation),
    targetType: nouns[resource] ?? resource,
    targetId: named['id'] ?? named['user_id'] ?? named['group_id'] ?? '',
    targetName: '',
    place: { kind: 'domain', domainId: user.domain.id },
    changes: { operation: [null, operation.id], named: [null, named] } as Changes,
  } as const
  return describeEvent({ user, origin, deed, result: 'denied', time })
}
