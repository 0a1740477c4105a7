const statuses: ReadonlyMap<string, string> = new Map([
  ['pending', 'starting'],
  ['running', 'running'],
  ['stopping', 'stopping'],
  ['stopped', 'ready'],
  ['shutting-down', 'deleting'],
])

/** Maps a state to a status. An unknown state is stored in the metadata. */
export function statusOf(word: string): { status: string; notes?: Record<string, string> } {
  const status = statuses.get(word)
  return status === undefined ? { status: 'unknown', notes: { source_status: word } } : { status }
}
