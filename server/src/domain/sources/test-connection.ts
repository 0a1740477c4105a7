import type { AccountTest } from '@muster/contract'
import { limitFacts, limitText } from './limit-facts.ts'
import { deadline } from './deadline.ts'
import { explainError } from './explain-error.ts'
import type { Source } from './source.ts'

const sampleSize = 5

/** Short, because a user waits for the result. */
const testLimit = 15_000

/** Tests settings: connects, and counts the servers that it sees within the time limit. */
export async function testConnection(
  open: (signal: AbortSignal) => Promise<Source>,
  clock: () => number,
): Promise<AccountTest> {
  const start = clock()
  const signal = deadline(testLimit)
  const statuses: Record<string, number> = {}
  const sample: string[] = []
  let [title, error] = ['', '']
  let servers = 0
  let isComplete = false

  async function countServers(source: Source): Promise<void> {
    title = limitText(source.title)
    for await (const { present, unreadable = [] } of source.scan(signal)) {
      servers += present.length + unreadable.length
      if (unreadable.length > 0) {
        statuses['unknown'] = (statuses['unknown'] ?? 0) + unreadable.length
      }
      for (const { facts } of present) {
        statuses[facts.status] = (statuses[facts.status] ?? 0) + 1
        if (sample.length < sampleSize) sample.push(limitFacts(facts).name)
      }
    }
    isComplete = true
  }

  try {
    const source = await open(signal)
    try {
      await countServers(source)
    } finally {
      await source.close()
    }
  } catch (cause) {
    // The connection works; the source only has more servers than fit into the time limit.
    if (!(signal.aborted && servers > 0)) error = explainError(cause)
  }
  return {
    ok: error === '',
    title,
    servers,
    statuses,
    sample,
    is_complete: isComplete,
    error,
    duration_ms: Math.round(clock() - start),
  }
}
