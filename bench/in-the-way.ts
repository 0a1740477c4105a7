import type { Ask, Touch } from './ask.ts'
import type { Row } from './figure.ts'
import type { Fleet } from './fleet.ts'
import { hotPage, hotProject, pagesApart, singleServers } from './pages.ts'
import { serve } from './serving.ts'

const seconds = 6
/** Not as many as saturate the server: those would wait for each other. */
const connections = 4
/** No figure of the performance page: a twentieth of what a query without an index may take. */
const bound = 50

/** The p99 of quick requests while others are asked that no index answers, one after the other. */
export async function measureInTheWay(
  fleet: Fleet,
  url: string,
  ask: Ask,
  touch: Touch,
  oddPaths: readonly string[],
): Promise<Row> {
  const quick = [
    ...pagesApart([hotProject(fleet)]),
    ...singleServers(fleet).slice(0, 1_000),
    ...Array.from({ length: 1_000 }, () => hotPage(fleet)),
  ]
  const load = { connections, seconds }
  const alone = await serve(url, quick, load)

  const over = new AbortController()
  let asked = 0
  async function askOddly(): Promise<void> {
    while (!over.signal.aborted) {
      await touch()
      await ask(oddPaths[asked % oddPaths.length] ?? '')
      asked += 1
    }
  }
  const oddly = askOddly()
  const beside = await serve(url, quick, load)
  over.abort()
  await oddly
  return {
    what: 'p99 of quick requests while queries without an index run',
    measured: `${beside.p99.toFixed(2)} ms (${alone.p99.toFixed(2)} ms without; ${asked} queries ran)`,
    target: `≤ ${bound} ms`,
    reached: beside.p99 <= bound,
  }
}
