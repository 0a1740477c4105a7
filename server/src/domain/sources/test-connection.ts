import type { AccountTest } from '@muster/contract'
import { limitFacts, limitText } from './limit-facts.ts'
import { deadline } from './deadline.ts'
import { errorFieldOf, explainError } from './explain-error.ts'
import type { ServerActor } from './action-port.ts'
import type { Source } from './source.ts'

const sampleSize = 5

/** Short, because a user waits for the result. */
const testLimit = 15_000

/** Tests settings: connects, and counts the servers that it sees within the time limit. */
export async function testConnection(
  open: (signal: AbortSignal) => Promise<Source>,
  openActor: (signal: AbortSignal) => Promise<ServerActor | undefined>,
  clock: () => number,
): Promise<AccountTest> {
  const start = clock()
  const signal = deadline(testLimit)
  const statuses: Record<string, number> = {}
  const sample: string[] = []
  let actions: AccountTest['actions'] = {}
  let [title, error] = ['', '']
  let error_field: AccountTest['error_field'] = ''
  let servers = 0
  let isComplete = false

  function fail(cause: unknown): void {
    error = explainError(cause)
    error_field = errorFieldOf(cause)
  }

  async function countServers(source: Source): Promise<void> {
    for await (const { present, unreadable = [], failed = [] } of source.scan(signal)) {
      title = limitText(source.title)
      if (error === '' && failed[0]) fail(failed[0].error)
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

  /** Credentials that can only read pass the test. The result then says nothing about actions. */
  async function findAllowedActions(): Promise<void> {
    const actor = await openActor(signal).catch(() => undefined)
    if (!actor) return
    try {
      actions = { ...(await actor.allowed?.(signal).catch(() => ({}))) }
    } finally {
      await actor.close().catch(() => {})
    }
  }

  try {
    const source = await open(signal)
    try {
      await countServers(source)
    } finally {
      await source.close()
    }
    await findAllowedActions()
  } catch (cause) {
    // The connection works; the source only has more servers than fit into the time limit.
    if (!(signal.aborted && servers > 0)) fail(cause)
  }
  return {
    ok: error === '',
    title,
    servers,
    statuses,
    sample,
    is_complete: isComplete,
    actions,
    error,
    error_field,
    duration_ms: Math.round(clock() - start),
  }
}
