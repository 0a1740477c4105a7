/** libvirt's states of a domain, by their numbers. */
const words = [
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

/** Why a domain is paused, where it is on its way to something else. */
const pausedFor: Readonly<Record<number, string>> = { 2: 'migrating', 11: 'starting' }

export interface Status {
  readonly status: string
  /** libvirt's own word, where Muster has none for it. */
  readonly sourceStatus?: string
}

export function statusOf(state: number, reason: number): Status {
  const word = words[state] ?? `state ${state}`
  const status = word === 'paused' ? (pausedFor[reason] ?? 'suspend') : statuses[word]
  return status === undefined ? { status: 'unknown', sourceStatus: word } : { status }
}

/** Whether it has a process, so that it can hold addresses. */
export const isActive = (state: number): boolean => [1, 2, 3, 4, 7].includes(state)

export const isShutOff = (state: number): boolean => words[state] === 'shutoff'
