import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import { SourceError } from '@muster/server/source-port'
import type {
  ReportedServer,
  Source,
  SourceContext,
  SourceUpdate,
  UnreadableServer,
} from '@muster/server/source-port'
import { changesBetween as actedBetween } from './acted-server.ts'
import { createActedServers, type ActedServers } from './acted-servers.ts'
import { createSimulator } from './simulator.ts'
import type { SimulatorSettings } from './simulator-settings.ts'
import { simulatedAccounts } from './sites.ts'

/** Small, because every waiting account holds one page in memory. */
const pageSize = 100
/** Milliseconds between two reads of changes, so that each is reported within a second. */
const defaultStep = 500
/** How many servers are reported at each end of a long pause. */
const maxCaughtUp = 1_000

const interrupted = () => new SourceError('timeout', 'The Simulator was interrupted.')

/** Opens a simulated fleet, or the part of one simulated account, as a source. */
export function openSimulator(
  settings: SimulatorSettings,
  { clock, state }: Pick<SourceContext, 'clock' | 'state'>,
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

  const actedServers = createActedServers(state, seed)

  function see(
    index: number,
    time: number,
    acted: ActedServers,
  ): ReportedServer | UnreadableServer | undefined {
    const facts = simulator.factsAt(index, time, acted.get(index))
    if (!facts) return undefined
    const key = simulator.keyOf(index)
    return index < unreadable
      ? { key, name: facts.name, reason: 'The simulator was told not to describe it.' }
      : { key, tenant: simulator.tenantOf(index), facts }
  }

  function updateFrom(
    indices: readonly number[],
    time: number,
    acted: ActedServers,
  ): Required<SourceUpdate> {
    const seen = indices.map((index) => see(index, time, acted))
    return {
      present: seen.filter((server) => server !== undefined && 'facts' in server),
      gone: indices.filter((_, at) => seen[at] === undefined).map(simulator.keyOf),
      unreadable: seen.filter((server) => server !== undefined && 'reason' in server),
    }
  }

  /**
   * The servers that changed by themselves. After a long pause that is nearly all. Only those at its
   * beginning and end are reported; the others wait for the next scan.
   */
  function changedIn(since: number, now: number): readonly number[][] {
    const changed = (from: number, to: number) =>
      [...simulator.changedBetween(from, to)].filter(simulator.isSelected)
    if (now - since <= 2 * window) return [changed(since, now)]
    return [changed(since, since + window), changed(now - window, now)]
  }

  /** Yields the indices of servers in chunks, with a turn of the event loop between two. */
  async function* inChunks(size: number, signal: AbortSignal) {
    for (let start = 0; start < servers; start += size) {
      await breathe()
      if (signal.aborted) throw interrupted()
      const length = Math.min(size, servers - start)
      yield Array.from({ length }, (_, offset) => start + offset).filter(simulator.isSelected)
    }
  }

  const getMany: NonNullable<Source['getMany']> = async (references, signal) => {
    if (signal.aborted) throw interrupted()
    const indices = references.map(({ externalId }) => simulator.indexOf(externalId))
    const acted = await actedServers.of(indices.filter((index) => index !== undefined))
    const time = clock()
    return indices.map((index) => (index === undefined ? undefined : see(index, time, acted)))
  }

  return {
    title: `Simulator, ${cloudAccount ?? 'all clouds'} of seed ${seed}`,

    async *scan(signal) {
      const { changed: acted } = await actedServers.changedAfter(0)
      const time = clock()
      const size = cloudAccount === undefined ? pageSize : pageSize * names.length
      let start = 0
      for await (const indices of inChunks(size, signal)) {
        const { present, unreadable: unread } = updateFrom(indices, time, acted)
        const end = Math.min(start + size, servers)
        const networks = simulator.networksOf(start, end, cloudAccount)
        yield { present, gone: [], unreadable: unread, resources: { networks } }
        start = end
      }
      for (const resources of simulator.sitesOf(cloudAccount)) {
        yield { present: [], gone: [], resources }
      }
    },

    get: async (reference, signal) => (await getMany([reference], signal))[0],
    getMany,

    async *watch(signal) {
      let since = clock()
      const { changed: acted, ...start } = await actedServers.changedAfter(0)
      let { version } = start
      yield { present: [], gone: [] }
      for (;;) {
        await pause(step, undefined, { signal })
        const latest = await actedServers.changedAfter(version)
        version = latest.version
        for (const [index, server] of latest.changed) acted.set(index, server)
        const now = clock()
        const moved = [...acted].filter(([, server]) => actedBetween(server, since, now))
        const byRequest = [...latest.changed.keys(), ...moved.map(([index]) => index)]
        const [first = [], ...rest] = changedIn(since, now)
        for (const indices of [[...new Set([...byRequest, ...first])], ...rest]) {
          if (indices.length > 0) yield updateFrom(indices, now, acted)
        }
        since = now
      }
    },

    close: async () => {},
  }
}
