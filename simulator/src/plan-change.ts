import { ActionError } from '@muster/server/source-port'
import type { ReportedFacts, ServerSize, SourceCall } from '@muster/server/source-port'
import { toFixedFacts, type ActedChange, type FixedFacts } from './acted-server.ts'

interface Transition {
  /** Empty: every status that is not transitional. */
  readonly from: readonly string[]
  readonly through: readonly string[]
  /** Absent: as before. */
  readonly to?: string
}

const transitions: Readonly<Record<Exclude<SourceCall['kind'], 'confirm-resize'>, Transition>> = {
  start: { from: ['ready', 'start_fail'], through: ['starting'], to: 'running' },
  stop: { from: ['running', 'unknown', 'stop_fail'], through: ['stopping'], to: 'ready' },
  restart: { from: ['running'], through: ['stopping', 'starting'], to: 'running' },
  reset: { from: ['running'], through: ['starting'], to: 'running' },
  suspend: { from: ['running'], through: ['suspending'], to: 'suspend' },
  resume: { from: ['suspend'], through: ['resuming'], to: 'running' },
  resize: { from: ['running', 'ready'], through: ['change_flavor'] },
  update: { from: [], through: ['sync_config'] },
  delete: { from: [], through: ['deleting'] },
}

export const isSettled = (status: string): boolean =>
  ['running', 'ready', 'suspend', 'unknown', 'init'].includes(status) || status.endsWith('_fail')

export interface ChangePlan {
  readonly call: SourceCall
  /** What the server shows now. */
  readonly facts: ReportedFacts
  readonly now: number
  /** Milliseconds until the server shows the result. */
  readonly delay: number
  readonly resize: (size: ServerSize, facts: ReportedFacts) => Partial<FixedFacts>
}

/** What a request changes. Throws an `ActionError` if the server's state does not allow it. */
export function planChange({ call, facts, now, delay, resize }: ChangePlan): ActedChange {
  if (call.kind === 'confirm-resize') {
    throw new ActionError('unsupported', 'A resize needs no confirmation.')
  }
  const { from, through, to } = transitions[call.kind]
  const isAllowed = from.length === 0 ? isSettled(facts.status) : from.includes(facts.status)
  if (!isAllowed) {
    throw new ActionError(
      'conflict',
      `${facts.name} cannot ${call.kind} while its status is ${facts.status}.`,
    )
  }
  if (call.kind === 'delete' && facts.disable_delete === true) {
    throw new ActionError('conflict', `${facts.name} is protected against deletion.`)
  }
  const before = toFixedFacts(facts)
  const steps = through.map((status, step) => ({
    status,
    until: now + Math.round((delay * (step + 1)) / through.length),
  }))
  const change = { before, startedAt: now, steps }
  if (call.kind === 'delete') return change
  const changes = {
    ...(to !== undefined && { status: to }),
    ...(call.kind === 'resize' && resize(call.size, facts)),
    ...(call.kind === 'update' && call.changes),
  }
  return { ...change, after: { ...before, ...changes } }
}
