import { chance } from './dice.ts'
import type { Life } from './life.ts'

/**
 * Of any thousand servers in a row so many are in a rare status, and stay so: each is always to be
 * found somewhere. All others run or are stopped, and go from one to the other.
 */
const rare: readonly (readonly [status: string, count: number])[] = [
  ['unknown', 24],
  ['suspend', 24],
  ['init', 5],
  ...[
    'schedule',
    'network',
    'disk',
    'start_deploy',
    'deploying',
    'start_start',
    'starting',
    'start_stop',
    'stopping',
    'start_suspend',
    'suspending',
    'resuming',
    'start_delete',
    'deleting',
    'start_migrate',
    'migrating',
    'rebuild_root',
    'change_flavor',
    'resize_disk',
    'sync_config',
  ].map((status) => [status, 3] as const),
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
/** Coprime to a thousand: neighbours get places far apart. */
const stride = 617

/** They are here, then in the recycle bin, then gone for a while, and then here again. */
const visitors = { from: 150, to: 170 }
const visit = ['here', 'recycled', 'gone', 'gone'] as const
/** They are in the recycle bin for good. */
const recycled = { from: 170, to: 180 }
const runningShare = 0.775

const question = 900

export interface State {
  readonly status: string
  readonly presence: 'here' | 'recycled' | 'gone'
  /** When it came, for one that comes and goes; undefined for all others. */
  readonly cameAt: number | undefined
  /** It runs or is stopped; all that happens to any other shows in its tags. */
  readonly isSteady: boolean
  /** Whether the change under way, or the last one, took two steps. */
  readonly takesTime: boolean
}

const steadyStatus = (dice: number, version: number) =>
  chance(dice, question + version * 2) < runningShare ? 'running' : 'ready'

const onTheWay: Readonly<Record<string, string>> = {
  'running ready': 'stopping',
  'running running': 'starting',
  'ready running': 'starting',
  'ready ready': 'sync_config',
}

const place = (seed: number, index: number) => (index * stride + (seed % inARow)) % inARow

function visitorsState(dice: number, life: Life): State {
  const step = (life.changes + (dice % visit.length)) % visit.length
  const presence = visit[step] as State['presence']
  const hasCome = step === 0 && life.changes > 0
  return {
    status: presence === 'here' ? 'running' : 'ready',
    presence,
    cameAt: hasCome ? life.since : undefined,
    isSteady: false,
    takesTime: false,
  }
}

/** What a server is doing, and whether it is there at all. */
export function stateOf(seed: number, index: number, dice: number, life: Life): State {
  const at = place(seed, index)
  const always = { presence: 'here', cameAt: undefined, isSteady: true, takesTime: false } as const
  const stuck = rareStatuses[at]
  if (stuck !== undefined) return { ...always, isSteady: false, status: stuck }
  if (at >= visitors.from && at < visitors.to) return visitorsState(dice, life)
  if (at >= recycled.from && at < recycled.to) {
    return { ...always, isSteady: false, status: 'ready', presence: 'recycled' }
  }
  const status = steadyStatus(dice, life.status)
  if (life.last === 'size' && status === 'running') {
    return { ...always, status: life.isMoving ? 'change_flavor' : status, takesTime: true }
  }
  if (life.last !== 'status') return { ...always, status }
  const before = steadyStatus(dice, life.status - 1)
  const moving = onTheWay[`${before} ${status}`] ?? status
  return { ...always, status: life.isMoving ? moving : status, takesTime: true }
}
