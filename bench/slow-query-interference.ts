import type { TimedGet, ChangeServer } from './timed-client.ts'
import type { Row } from './benchmark.ts'
import type { Fleet } from './fleet.ts'
import { hotPage, hotProject, disjointPages, singleServers } from './pages.ts'
import { serve } from './serve.ts'

const seconds = 6
/** Few enough not to saturate the server. */
const connections = 4
/** 1/20 of what a query without an index may take. */
const bound = 50

/** The p99 of fast requests while queries without an index run, one after the other. */
export async function measureSlowQueryInterference(
  fleet: Fleet,
  url: string,
  timedGet: TimedGet,
  changeServer: ChangeServer,
  unindexedPaths: readonly string[],
): Promise<Row> {
  const fast = [
    ...disjointPages([hotProject(fleet)]),
    ...singleServers(fleet).slice(0, 1_000),
    ...Array.from({ length: 1_000 }, () => hotPage(fleet)),
  ]
  const load = { connections, seconds }
  const alone = await serve(url, fast, load)

  const stopped = new AbortController()
  let completed = 0
  async function runUnindexedQueries(): Promise<void> {
    while (!stopped.signal.aborted) {
      await changeServer()
      await timedGet(unindexedPaths[completed % unindexedPaths.length] ?? '')
      completed += 1
    }
  }
  const running = runUnindexedQueries()
  const during = await serve(url, fast, load)
  stopped.abort()
  await running
  return {
    what: 'p99 of fast requests while queries without an index run',
    measured: `${during.p99.toFixed(2)} ms (${alone.p99.toFixed(2)} ms without; ${completed} queries ran)`,
    target: `≤ ${bound} ms`,
    reached: during.p99 <= bound,
  }
}
