import { serverStatuses } from '@muster/contract'
import { chance } from './random-hash.ts'
import type { Life } from './lifecycle.ts'

/**
 * How many of 1,000 consecutive servers stay in a rare status, so that each status always occurs.
 * All others switch between running and stopped.
 */
const rare: readonly (readonly [status: string, count: number])[] = [
  ['unknown', 24],
  ['suspend', 24],
  ...serverStatuses.changing.map((status) => [status, status === 'init' ? 5 : 3] as const),
  ...[
    'sched_fail',
    'net_fail',
    'disk_fail',
    'deploy_fail',
    'start_fail',
    'stop_fail',
    'delete_fail',
  ].map((status) => [status, 5] as const),
]

const inARow = 1_000
const rareStatuses = rare.flatMap(([status, count]) => Array.from({ length: count }, () => status))
/** Coprime to 1,000, so that neighbours are spread. */
const stride = 617

/** These run, stop, disappear for a while, and come back. */
const recurring = { from: 150, to: 170 }
const recurringCycle = ['running', 'ready', 'gone', 'gone'] as const
/** These stay stopped. */
const stopped = { from: 170, to: 180 }
const runningShare = 0.775

const fieldNumber = 900

export interface State {
  readonly status: string
  readonly isGone: boolean
  /** When it appeared, for servers that come and go; undefined for others. */
  readonly cameAt: number | undefined
  /** Whether it switches between running and stopped; changes of others show in their tags. */
  readonly isSteady: boolean
  /** Whether the current or last change takes two ticks. */
  readonly takesTime: boolean
}

const steadyStatus = (dice: number, version: number) =>
  chance(dice, fieldNumber + version * 2) < runningShare ? 'running' : 'ready'

const onTheWay: Readonly<Record<string, string>> = {
  'running ready': 'stopping',
  'running running': 'starting',
  'ready running': 'starting',
  'ready ready': 'sync_config',
}

const place = (seed: number, index: number) => (index * stride + (seed % inARow)) % inARow

function recurringState(dice: number, life: Life): State {
  const step = (life.changes + (dice % recurringCycle.length)) % recurringCycle.length
  const status = recurringCycle[step] as (typeof recurringCycle)[number]
  const hasCome = step === 0 && life.changes > 0
  return {
    status: status === 'gone' ? 'ready' : status,
    isGone: status === 'gone',
    cameAt: hasCome ? life.since : undefined,
    isSteady: false,
    takesTime: false,
  }
}

/** The status of a server, and whether it exists. */
export function stateOf(seed: number, index: number, dice: number, life: Life): State {
  const at = place(seed, index)
  const always = { isGone: false, cameAt: undefined, isSteady: true, takesTime: false } as const
  const stuck = rareStatuses[at]
  if (stuck !== undefined) return { ...always, isSteady: false, status: stuck }
  if (at >= recurring.from && at < recurring.to) return recurringState(dice, life)
  if (at >= stopped.from && at < stopped.to) return { ...always, isSteady: false, status: 'ready' }
  const status = steadyStatus(dice, life.status)
  if (life.last === 'size' && status === 'running') {
    return { ...always, status: life.isMoving ? 'change_flavor' : status, takesTime: true }
  }
  if (life.last !== 'status') return { ...always, status }
  const before = steadyStatus(dice, life.status - 1)
  const moving = onTheWay[`${before} ${status}`] ?? status
  return { ...always, status: life.isMoving ? moving : status, takesTime: true }
}
