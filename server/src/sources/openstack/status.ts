import { numberOf, textOf, type Json } from '../shared/json.ts'

/** A task in progress has priority: it shows the next state of the server. */
const tasks: readonly (readonly [RegExp, string])[] = [
  [/^scheduling$/, 'schedule'],
  [/^networking$/, 'network'],
  [/^block_device_mapping$/, 'disk'],
  [/^spawning$/, 'deploying'],
  [/^powering-off$|^shelving/, 'stopping'],
  [/^powering-on$|^reboot|^unshelving/, 'starting'],
  [/^suspending$|^pausing$/, 'suspending'],
  [/^resuming$|^unpausing$/, 'resuming'],
  [/^(soft-)?deleting$/, 'deleting'],
  [/^migrating$/, 'migrating'],
  [/^resize_/, 'change_flavor'],
  [/^rebuild/, 'rebuild_root'],
]

/** Cloudpods' word for a server that was resized and waits for the confirmation. */
export const resizedStatus = 'sync_config'

const states: ReadonlyMap<string, string> = new Map([
  ['active', 'running'],
  ['building', 'schedule'],
  ['paused', 'suspend'],
  ['suspended', 'suspend'],
  ['stopped', 'ready'],
  ['rescued', 'running'],
  ['resized', resizedStatus],
  ['shelved', 'ready'],
  ['shelved_offloaded', 'ready'],
])

/** For tokens that may not see the state itself. */
const statuses: ReadonlyMap<string, string> = new Map([
  ['ACTIVE', 'active'],
  ['BUILD', 'building'],
  ['PAUSED', 'paused'],
  ['SUSPENDED', 'suspended'],
  ['SHUTOFF', 'stopped'],
  ['RESCUE', 'rescued'],
  ['VERIFY_RESIZE', 'resized'],
  ['SHELVED', 'shelved'],
  ['SHELVED_OFFLOADED', 'shelved_offloaded'],
  ['ERROR', 'error'],
])

/** Nova's numbers for what the hypervisor last reported. */
const poweredOff = 4
const pausedByHost = 3

function failedStatus(server: Json): string {
  if (textOf(server, 'OS-SRV-USG:launched_at') !== '') return 'unknown'
  return textOf(server, 'hostId') === '' ? 'sched_fail' : 'deploy_fail'
}

/** Nova's own word for the state of a server, such as `paused`. */
export const stateOf = (server: Json): string =>
  textOf(server, 'OS-EXT-STS:vm_state') || statuses.get(textOf(server, 'status')) || ''

function statusFor(server: Json): string {
  const task = textOf(server, 'OS-EXT-STS:task_state')
  const running = task === '' ? undefined : tasks.find(([pattern]) => pattern.test(task))?.[1]
  if (running !== undefined) return running
  const state = stateOf(server)
  if (state === 'error') return failedStatus(server)
  const power = numberOf(server, 'OS-EXT-STS:power_state')
  // A guest that shut itself down is still active for Nova until its next check.
  if (state === 'active' && power === poweredOff) return 'ready'
  if (state === 'active' && power === pausedByHost) return 'suspend'
  return states.get(state) ?? 'unknown'
}

/** The status of a server. If it is unknown, Nova's own word is stored in the metadata. */
export function statusOf(server: Json): { status: string; notes?: Record<string, string> } {
  const status = statusFor(server)
  if (status !== 'unknown') return { status }
  const own = textOf(server, 'status') || textOf(server, 'OS-EXT-STS:vm_state')
  return { status, notes: { source_status: own } }
}

/** Deleted servers, and those that Nova keeps for a while after a deletion. */
export const isDeleted = (server: Json): boolean =>
  ['DELETED', 'SOFT_DELETED'].includes(textOf(server, 'status'))
