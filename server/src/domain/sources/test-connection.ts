import type { AccountTest } from '@muster/contract'
import { limitFacts, limitText } from './limit-facts.ts'
import { deadline } from './deadline.ts'
import { explainError } from './explain-error.ts'
import type { Source } from './source.ts'

const sampleSize = 5

/** Long enough to see something, short enough for somebody who waits. */
const testLimit = 15_000

/** Tries a source: does it let us in, and what does it show? */
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

  async function look(source: Source): Promise<void> {
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
      await look(source)
    } finally {
      await source.close()
    }
  } catch (cause) {
    // It let us in and is only large: that is no fault.
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
