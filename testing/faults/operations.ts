import { sourceActions, type SourceAction } from '../../server/src/domain/sources/action-port.ts'
import type { FaultyBackEnd, InitialStatus, SourceServer } from './back-end.ts'

/** What an action is sent with, where that makes other requests to the source. */
const variants = {
  /** Stops two servers. */
  batch: 'stop',
  /** Deletes by the recycle bin. */
  recycle: 'delete',
  'forced stop': 'stop',
  /** Of a server in another region. */
  'stop elsewhere': 'stop',
  'update of several fields': 'update',
  'delete with disks': 'delete',
} as const satisfies Readonly<Record<string, SourceAction>>
type Variant = keyof typeof variants

/** What is done while the fault happens: a scan, an action of the API or a variant of one. */
export const operations = [
  'scan',
  ...sourceActions,
  ...(Object.keys(variants) as Variant[]),
] as const
export type Operation = (typeof operations)[number]

const isVariant = (operation: Operation): operation is Variant => operation in variants

/** The action that the API gets; undefined for a scan. */
export function actionOf(operation: Operation): SourceAction | undefined {
  if (isVariant(operation)) return variants[operation]
  return operation === 'scan' ? undefined : operation
}

/** Whether the back end has what the operation needs. */
export function isOffered(operation: Operation, backEnd: FaultyBackEnd): boolean {
  const action = actionOf(operation)
  if (action !== undefined && !backEnd.actions.includes(action)) return false
  if (operation === 'recycle') return backEnd.ignoresShutdown !== true
  // Where guests do not react to a shutdown, each stop is forced.
  if (operation === 'forced stop') return backEnd.ignoresShutdown !== true
  if (operation === 'stop elsewhere') return backEnd.createElsewhere !== undefined
  if (operation === 'update of several fields') return backEnd.otherFields !== undefined
  return operation !== 'delete with disks' || backEnd.disks !== undefined
}

const initialStatus: Partial<Record<SourceAction, InitialStatus>> = {
  start: 'ready',
  resume: 'suspend',
}

/** Creates a server as the operation needs it. */
export function createFor(
  operation: Operation,
  backEnd: FaultyBackEnd,
  name: string,
): Promise<string> {
  const action = actionOf(operation) ?? 'start'
  const status = backEnd.startsFrom?.[action] ?? initialStatus[action] ?? 'running'
  if (operation === 'stop elsewhere' && backEnd.createElsewhere) {
    return backEnd.createElsewhere(name)
  }
  if (operation === 'delete with disks' && backEnd.disks) return backEnd.disks.create(name)
  return backEnd.create(name, status)
}

/** Seconds that a guest has to shut down. */
const guestTime = 4

/** The parameters of the action. */
export function parametersOf(
  operation: Operation,
  { otherSize, otherFields, parameters }: FaultyBackEnd,
  newName: string,
): object {
  const action = actionOf(operation)
  const isSoft = (action === 'stop' || action === 'restart') && operation !== 'forced stop'
  return {
    ...(action === 'update' && { name: newName }),
    ...(operation === 'update of several fields' && otherFields),
    ...(action === 'change-config' && { ...otherSize, force_stop: true }),
    ...(isSoft && { timeout_secs: guestTime }),
    ...(operation === 'forced stop' && { is_force: true }),
    ...(action && parameters?.[action]),
  }
}

const targetStatus: Partial<Record<SourceAction, string>> = {
  start: 'running',
  stop: 'ready',
  suspend: 'suspend',
  resume: 'running',
}

/** Whether the status of the server alone shows the success. */
export const isVisible = (action: SourceAction): boolean => targetStatus[action] !== undefined

/** Whether the source shows the target; undefined if that does not tell, because it was so before. */
export function isReached(
  operation: Operation,
  action: SourceAction,
  before: SourceServer | undefined,
  now: SourceServer | undefined,
): boolean | undefined {
  if (action === 'delete') return now === undefined
  // One of several fields does not show the others.
  if (action === 'update') {
    return now?.name === before?.name ? false : operation === 'update' || undefined
  }
  if (action === 'change-config')
    return now?.size !== before?.size && now?.status === before?.status
  if (action === 'restart' || action === 'reset') {
    return now?.status === 'running' ? undefined : false
  }
  return now?.status === targetStatus[action]
}
