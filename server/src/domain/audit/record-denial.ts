import { type Operation, administrationNames } from '@muster/contract'
import type { Clock } from '../clock.ts'
import type { RequestOrigin } from '../request-origin.ts'
import type { UserSummary } from '../user-summary.ts'
import { createEvent } from './create-event.ts'
import type { EventStore } from './event-store.ts'
import type { Changes, EventRecord } from './event.ts'

/** The type of an event's target, by the resource that an operation acts on. */
const targetTypes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(administrationNames).map(({ keys, key }) => [keys, key])),
  servers: 'server',
  views: 'view',
  checks: 'check',
  cloudaccounts: 'cloudaccount',
}

/** A change that was refused because the user lacks the permission. */
export interface Denial {
  readonly user: UserSummary
  readonly origin: RequestOrigin
  readonly operation: Pick<Operation, 'id' | 'permission'>
  /** The parameters of the path. */
  readonly named: Readonly<Record<string, string | undefined>>
}

/** The action that the event would have named, had the operation been allowed. */
function actionOf({ id }: Pick<Operation, 'id'>): string {
  const named = actionsById[id]
  if (named !== undefined) return named
  const [verb = id] = /^[a-z]+/.exec(id) ?? []
  return actions[verb] ?? verb
}

/** Verbs of operations whose events name another action. */
const actions: Readonly<Record<string, string>> = {
  add: 'join',
  remove: 'leave',
  change: 'update',
  merge: 'update',
  replace: 'update',
}

/** Operations whose event names neither their verb nor its replacement above. */
const actionsById: Readonly<Record<string, string>> = {
  changeServerConfig: 'change-config',
  cancelServerDeletion: 'cancel-delete',
  addUserMetadata: 'update',
  setUserMetadata: 'update',
  createPasswordLink: 'update',
  resetFactors: 'reset_factors',
  enableUser: 'update',
  disableUser: 'update',
  enableCloudAccount: 'update',
  disableCloudAccount: 'update',
  joinUserProjects: 'grant',
  joinGroupProjects: 'grant',
  leaveUserProjects: 'revoke',
  leaveGroupProjects: 'revoke',
}

/** Operations whose path names something else than their permission. */
const targetTypesById: Readonly<Record<string, string>> = {
  cancelTask: 'task',
  cancelBatch: 'batch',
  redactServerHistory: 'server',
}

/** How long repeats are counted before one row summarizes them. */
const defaultWindow = 60_000
const mostWindows = 10_000
/** How many of the summarized requests have their path parameters listed. */
const mostNamed = 10

/** Repeats of one refused operation by one user since the last row. */
interface Window {
  count: number
  named: Denial['named'][]
  last: EventRecord
  readonly timer: NodeJS.Timeout
}

/**
 * Records changes that were refused for a missing permission. The first one is written at once;
 * repeats by the same user become one row a minute with their number, so that no caller can fill
 * the audit log.
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
      summarizeInBackground(oldest[1])
    }
    const timer = setInterval(() => {
      const window = windows.get(key)
      if (window && window.count > 0) summarizeInBackground(window)
      else if (window) close(key, window)
    }, length)
    windows.set(key, { count: 0, named: [], last, timer: timer.unref() })
  }

  async function summarize(window: Window): Promise<void> {
    const { count, named, last } = window
    if (count === 0) return
    Object.assign(window, { count: 0, named: [] })
    const totals: Changes = { named: [null, named], repeated: [null, count] }
    try {
      await events.record({ ...last, changes: { ...last.changes, ...totals } })
    } catch (error) {
      window.count += count
      window.named = [...named, ...window.named].slice(0, mostNamed)
      throw error
    }
  }

  /** Repeats that could not be written are added to the next row. */
  function summarizeInBackground(window: Window): void {
    const write = summarize(window)
      .catch(() => {})
      .finally(() => writing.delete(write))
    writing.add(write)
  }

  async function recordDenial(denial: Denial): Promise<void> {
    const { operation, named, user } = denial
    const event = toEvent(denial, clock())
    const key = `${user.id} ${operation.id}`
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
    /** Writes the repeats counted so far, before the process ends. */
    async flushDenials(): Promise<void> {
      await Promise.all(writing)
      const rest = [...windows]
      for (const [key, window] of rest) close(key, window)
      for (const [, window] of rest) await summarize(window)
    },
  }
}
export type RecordDenial = ReturnType<typeof createRecordDenial>['recordDenial']

function toEvent({ user, origin, operation, named }: Denial, time: number): EventRecord {
  const resource = operation.permission?.resource ?? ''
  const types: Readonly<Record<string, string>> = targetTypes
  const action = {
    action: actionOf(operation),
    targetType: targetTypesById[operation.id] ?? types[resource] ?? resource,
    targetId: named['id'] ?? named['user_id'] ?? named['group_id'] ?? '',
    targetName: '',
    scope: { kind: 'domain', domainId: user.domainId },
    changes: { operation: [null, operation.id], named: [null, named] } as Changes,
  } as const
  return createEvent({ user, origin, action, result: 'denied', time })
}
