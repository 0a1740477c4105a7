import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/identity/ports.ts'
import type { Simulator } from '../sources/simulator/simulator.ts'
import type { RecordScan } from './load-demo.ts'

interface Dependencies {
  readonly simulator: Simulator
  readonly recordServers: RecordScan
  readonly clock: Clock
  readonly logger: Pick<FastifyBaseLogger, 'warn'>
  /** The moment as of which the fleet is kept. */
  readonly since: number
  readonly onLived: (moment: number) => Promise<void>
}

const step = 5_000
/** So many servers at each end of a long absence are brought up to date at once. */
const mostCaughtUp = 1_000

/**
 * Lets the fleet live. Any number of processes may do so at once: all write the same, and what is
 * there already is not written again.
 */
export function createDemoLife(dependencies: Dependencies) {
  const { simulator, recordServers, clock, logger, onLived } = dependencies
  const window = simulator.period * Math.min(1, mostCaughtUp / simulator.servers)
  let { since } = dependencies
  let underWay: Promise<void> = Promise.resolve()
  let isBusy = false

  /**
   * After a long absence nearly all servers would be due. Those that were left in the middle of
   * something are brought up to date, and those that were about to change; the others stay as they
   * are until their next turn.
   */
  function scansUpTo(now: number) {
    if (now - since <= 2 * window) return [simulator.changesBetween(since, now)]
    return [
      simulator.changesBetween(since, since + window, now),
      simulator.changesBetween(now - window, now),
    ]
  }

  async function live(): Promise<void> {
    const now = clock()
    for (const scan of scansUpTo(now)) {
      if (scan.present.length + scan.gone.length > 0) await recordServers(scan)
    }
    since = now
    await onLived(now)
  }

  /** One step; what fails is tried again with the next. */
  function liveOn(): Promise<void> {
    if (isBusy) return underWay
    isBusy = true
    underWay = live()
      .catch((error: unknown) => {
        logger.warn({ err: error }, "the demo's fleet could not change; the next try is in 5 s")
      })
      .finally(() => {
        isBusy = false
      })
    return underWay
  }

  let timer: NodeJS.Timeout | undefined
  return {
    liveOn,
    start(): void {
      timer ??= setInterval(() => void liveOn(), step)
    },
    /** What is under way is finished first. */
    async stop(): Promise<void> {
      clearInterval(timer)
      await underWay
    },
  }
}
