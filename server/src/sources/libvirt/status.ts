/** libvirt's domain states by number. */
const stateNames = [
  'nostate',
  'running',
  'blocked',
  'paused',
  'shutdown',
  'shutoff',
  'crashed',
  'pmsuspended',
] as const

const statuses: Readonly<Record<string, string>> = {
  running: 'running',
  blocked: 'running',
  paused: 'suspend',
  pmsuspended: 'suspend',
  shutdown: 'stopping',
  shutoff: 'ready',
}

/** Reasons of the state "paused" that are transitions. */
const pausedFor: Readonly<Record<number, string>> = { 2: 'migrating', 11: 'starting' }

export interface Status {
  readonly status: string
  /** The name of a state that Muster does not know. */
  readonly sourceStatus?: string
}

export function statusOf(state: number, reason: number): Status {
  const name = stateNames[state] ?? `state ${state}`
  const status = name === 'paused' ? (pausedFor[reason] ?? 'suspend') : statuses[name]
  return status === undefined ? { status: 'unknown', sourceStatus: name } : { status }
}

/** Whether it has a process, and so can have addresses. */
export const isActive = (state: number): boolean => [1, 2, 3, 4, 7].includes(state)

export const isShutOff = (state: number): boolean => stateNames[state] === 'shutoff'

/** Whether the guest put itself to sleep. It is woken up instead of resumed. */
export const isSleeping = (state: number): boolean => stateNames[state] === 'pmsuspended'
