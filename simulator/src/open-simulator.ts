import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import { SourceError } from '@muster/server/source-port'
import type {
  ReportedServer,
  Source,
  SourceUpdate,
  UnreadableServer,
} from '@muster/server/source-port'
import { createSimulator } from './simulator.ts'
import type { SimulatorSettings } from './simulator-settings.ts'
import { simulatedAccounts } from './sites.ts'

/** Small, because every waiting account holds one page in memory. */
const pageSize = 100
/** How many servers a search checks before it yields to the event loop. */
const searchChunkSize = 10_000
const defaultStep = 5_000
/** How many servers are reported at each end of a long pause. */
const maxCaughtUp = 1_000

/** Opens a simulated fleet, or the part of one simulated account, as a source. */
export function openSimulator(
  settings: SimulatorSettings,
  clock: () => number,
  step = defaultStep,
): Source {
  const { servers, seed, cloudAccount, unreadable } = settings
  const names = simulatedAccounts(seed).map(({ name }) => name)
  if (cloudAccount !== undefined && !names.includes(cloudAccount)) {
    throw new SourceError(
      'failed',
      `Unknown simulated cloud account ${cloudAccount}. Known: ${names.join(', ')}.`,
    )
  }
  const simulator = createSimulator(settings)
  const window = simulator.period * Math.min(1, maxCaughtUp / servers)

  const isSelected = (index: number) =>
    cloudAccount === undefined || simulator.accountNameOf(index) === cloudAccount

  const see = (index: number, time: number): ReportedServer | UnreadableServer => {
    const key = simulator.keyOf(index)
    const facts = simulator.describe(index, time)
    return index < unreadable
      ? { key, name: facts.name, reason: 'The simulator was told not to describe it.' }
      : { key, tenant: simulator.tenantOf(index), facts }
  }

  const updateFrom = (
    indices: readonly number[],
    time: number,
    gone: SourceUpdate['gone'],
  ): SourceUpdate => {
    const seen = indices.map((index) => see(index, time))
    return {
      present: seen.filter((server) => 'facts' in server),
      gone,
      unreadable: seen.filter((server) => 'reason' in server),
    }
  }

  function changesBetween(from: number, to: number, seenAt: number): SourceUpdate {
    const changed = [...simulator.changedBetween(from, to)].filter(isSelected)
    const { gone = [], present = [] } = Object.groupBy(changed, (index) =>
      simulator.isGone(index, seenAt) ? 'gone' : 'present',
    )
    return updateFrom(present, seenAt, gone.map(simulator.keyOf))
  }

  /**
   * After a long pause nearly all servers have changed. Only those at its beginning and end are
   * reported; the others wait for the next scan.
   */
  function updatesOf(since: number, now: number): readonly SourceUpdate[] {
    if (now - since <= 2 * window) return [changesBetween(since, now, now)]
    return [changesBetween(since, since + window, now), changesBetween(now - window, now, now)]
  }

  /** Yields the indices of servers in chunks, with a turn of the event loop between two. */
  async function* inChunks(size: number, signal: AbortSignal) {
    for (let start = 0; start < servers; start += size) {
      await breathe()
      if (signal.aborted) throw new SourceError('timeout', 'The Simulator was interrupted.')
      const length = Math.min(size, servers - start)
      yield Array.from({ length }, (_, offset) => start + offset).filter(isSelected)
    }
  }

  return {
    title: `Simulator, ${cloudAccount ?? 'all clouds'} of seed ${seed}`,

    async *scan(signal) {
      const time = clock()
      const size = cloudAccount === undefined ? pageSize : pageSize * names.length
      let start = 0
      for await (const indices of inChunks(size, signal)) {
        const there = indices.filter((index) => !simulator.isGone(index, time))
        const end = Math.min(start + size, servers)
        const networks = simulator.networksOf(start, end, cloudAccount)
        yield { ...updateFrom(there, time, []), resources: { networks } }
        start = end
      }
      for (const resources of simulator.sitesOf(cloudAccount)) {
        yield { present: [], gone: [], resources }
      }
    },

    async get({ externalId }, signal) {
      for await (const indices of inChunks(searchChunkSize, signal)) {
        const found = indices.find((index) => simulator.externalIdOf(index) === externalId)
        if (found === undefined) continue
        const now = clock()
        return simulator.isGone(found, now) ? undefined : see(found, now)
      }
      return undefined
    },

    async *watch(signal) {
      let since = clock()
      yield { present: [], gone: [] }
      for (;;) {
        await pause(step, undefined, { signal })
        const now = clock()
        for (const update of updatesOf(since, now)) {
          const { present, gone, unreadable: unread = [] } = update
          if (present.length + gone.length + unread.length > 0) yield update
        }
        since = now
      }
    },

    close: async () => {},
  }
}
