const statuses: ReadonlyMap<string, string> = new Map([
  ['Running', 'running'],
  ['Ready', 'running'],
  ['Started', 'running'],
  ['Thawed', 'running'],
  ['Stopped', 'ready'],
  ['Frozen', 'suspend'],
  ['Freezing', 'suspending'],
  ['Starting', 'starting'],
  ['Stopping', 'stopping'],
  ['Aborting', 'stopping'],
])

interface Status {
  readonly status: string
  /** A status that Muster does not know. */
  readonly sourceStatus?: string
}

export function statusOf(name: string): Status {
  const status = statuses.get(name)
  return status === undefined ? { status: 'unknown', sourceStatus: name } : { status }
}

/** Whether the instance has processes, and so can have addresses. */
export const isActive = (name: string): boolean =>
  ['running', 'suspend', 'suspending'].includes(statusOf(name).status)
