import { defaultStopTimeout, type ServerAction, type TaskParameters } from '@muster/contract'
import type {
  ActionErrorKind,
  ActionSupport,
  ServerSize,
  ServerUpdate,
  SourceCall,
  SourceRequest,
} from '../sources/action-port.ts'
import type { ReportedFacts } from '../sources/source.ts'

/** What the source must show before a step counts as done. */
export type Target =
  | { readonly kind: 'status'; readonly status: string }
  | { readonly kind: 'size'; readonly size: ServerSize; readonly statuses?: readonly string[] }
  | { readonly kind: 'fields'; readonly changes: ServerUpdate }
  | { readonly kind: 'gone' }

/** One call to the source, and the state that shows its success. */
export interface Step {
  readonly call: SourceCall
  readonly target: Target
  /** Milliseconds to wait for the target, if less than the time limit of the task. */
  readonly within?: number
  /** If the target is not reached in time, the next step uses stronger means. */
  readonly isOptional?: true
  /**
   * The server is already in the target state, so only the source's response shows that the request was
   * carried out.
   */
  readonly isInvisible?: true
  /** The previous status, if it is one of a server that is changing. */
  readonly from?: string
  /** The requests of the call. They are stored before the first one is sent. */
  readonly requests?: readonly SourceRequest[]
  /** How many of them were carried out. */
  readonly done?: number
  /** The source has accepted the last one, or has shown that it works on the one that was sent. */
  readonly accepted?: 'accepted' | 'working' | undefined
  /** Why the outcome of the request that was sent is unknown, and what the source answered. */
  readonly lost?: string | undefined
  readonly answer?: string | undefined
  /** Why the source refused the request that was sent, which the server may show as done nevertheless. */
  readonly refusal?: ActionErrorKind | undefined
}

const running: Target = { kind: 'status', status: 'running' }
const stopped: Target = { kind: 'status', status: 'ready' }
const switchOff: Step = { call: { kind: 'stop', isForced: true }, target: stopped }
export const startStep: Step = { call: { kind: 'start' }, target: running }

/** Asks the guest to shut down, then switches the server off if that is allowed. */
function stopSteps(params: TaskParameters, support: ActionSupport, isForced: boolean): Step[] {
  const seconds = Number(params['timeout_secs'] ?? defaultStopTimeout)
  const ask: Step = {
    call: { kind: 'stop', isForced: false, seconds },
    target: stopped,
    within: seconds * 1_000,
  }
  if (!isForced) return [ask]
  // A forced stop is the same request, so a second one would not help.
  const isOneRequest = seconds === 0 || support.switchesOff === true
  return isOneRequest ? [switchOff] : [{ ...ask, isOptional: true }, switchOff]
}

const sizeOf = ({ vcpu_count, vmem_size, instance_type }: TaskParameters): ServerSize => ({
  ...(vcpu_count !== undefined && { vcpu_count: Number(vcpu_count) }),
  ...(vmem_size !== undefined && { vmem_size: Number(vmem_size) }),
  ...(instance_type !== undefined && { instance_type: String(instance_type) }),
})

function resizeSteps(
  params: TaskParameters,
  support: ActionSupport,
  status: ReportedFacts['status'],
): Step[] {
  const size = sizeOf(params)
  const { isLive = false, confirmedStatus } = support.resize ?? {}
  // A server that an earlier task has resized only waits to be confirmed. Nothing tells whether it ran before.
  const isResized = status === confirmedStatus
  const isRunning = status !== 'ready'
  const restarts = isRunning && !isResized && (!isLive || params['force_stop'] === true)
  const resize: Step = {
    call: { kind: 'resize', size },
    target: {
      kind: 'size',
      size,
      // Some sources confirm it by themselves.
      ...(confirmedStatus && { statuses: [confirmedStatus, 'running', 'ready'] }),
    },
  }
  const statuses = isResized ? ['running', 'ready'] : [isRunning && !restarts ? 'running' : 'ready']
  const confirm: readonly Step[] =
    confirmedStatus === undefined
      ? []
      : [
          {
            call: { kind: 'confirm-resize' },
            target: { kind: 'size', size, statuses },
            from: confirmedStatus,
          },
        ]
  return [
    ...(restarts ? stopSteps(params, support, true) : []),
    ...(isResized ? [] : [resize]),
    ...confirm,
    ...(restarts ? [startStep] : []),
  ]
}

/** The fields that only the source can change. */
export const sourceFields = ['name', 'shutdown_behavior', 'boot_order', 'disable_delete'] as const

const updateOf = (params: TaskParameters): ServerUpdate =>
  Object.fromEntries(
    sourceFields.flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]]])),
  )

function deleteSteps(
  params: TaskParameters,
  support: ActionSupport,
  server: { readonly isRunning: boolean; readonly isLostOnStop: boolean },
): Step[] {
  if (params['override_pending_delete'] !== true) {
    return server.isRunning ? stopSteps({}, support, true) : []
  }
  const call: SourceCall = {
    kind: 'delete',
    disks: params['delete_disks'] === true,
    snapshots: params['delete_snapshots'] === true,
  }
  const stopsFirst = server.isRunning && !server.isLostOnStop && !support.deletes?.running
  return [...(stopsFirst ? [switchOff] : []), { call, target: { kind: 'gone' } }]
}

/** The steps that an action takes, from the state that the source shows now. */
export function planSteps(
  action: ServerAction,
  params: TaskParameters,
  support: ActionSupport,
  facts: Pick<ReportedFacts, 'status' | 'notes'>,
): readonly Step[] {
  const isRunning = facts.status !== 'ready'
  const isForced = params['is_force'] === true
  switch (action) {
    case 'start':
      return [startStep]
    case 'stop':
      return stopSteps(params, support, isForced)
    case 'restart':
      return support.restarts
        ? [{ call: { kind: 'restart', isForced }, target: running, isInvisible: true }]
        : [...stopSteps(params, support, isForced), startStep]
    case 'reset':
      return [
        {
          call: { kind: 'reset', isHard: params['is_hard'] !== false },
          target: running,
          isInvisible: true,
        },
      ]
    case 'suspend':
      return [{ call: { kind: 'suspend' }, target: { kind: 'status', status: 'suspend' } }]
    case 'resume':
      return [{ call: { kind: 'resume' }, target: running }]
    case 'change-config':
      return resizeSteps(params, support, facts.status)
    case 'update': {
      const changes = updateOf(params)
      return [{ call: { kind: 'update', changes }, target: { kind: 'fields', changes } }]
    }
    case 'delete':
      return deleteSteps(params, support, {
        isRunning,
        isLostOnStop: facts.notes?.['lost_on_stop'] !== undefined,
      })
    case 'cancel-delete':
    case 'purge':
      return []
  }
}

const hasFields = (facts: object, wanted: object): boolean =>
  Object.entries(wanted).every(([name, value]) => {
    const actual = (facts as Record<string, unknown>)[name]
    return value === false ? actual !== true : actual === value
  })

/** Whether the source shows the target. `undefined` means that it does not have the server. */
export function isReached(target: Target, facts: ReportedFacts | undefined): boolean {
  if (facts === undefined) return target.kind === 'gone'
  switch (target.kind) {
    case 'status':
      return facts.status === target.status
    case 'size':
      return hasFields(facts, target.size) && (target.statuses?.includes(facts.status) ?? true)
    case 'fields':
      return hasFields(facts, target.changes)
    case 'gone':
      return false
  }
}
