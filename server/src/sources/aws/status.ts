const statuses: ReadonlyMap<string, string> = new Map([
  ['pending', 'starting'],
  ['running', 'running'],
  ['stopping', 'stopping'],
  ['stopped', 'ready'],
  ['shutting-down', 'deleting'],
])

/** Status in Muster's words; a word that is not known is noted. */
export function statusOf(word: string): { status: string; notes?: Record<string, string> } {
  const status = statuses.get(word)
  return status === undefined ? { status: 'unknown', notes: { source_status: word } } : { status }
}
