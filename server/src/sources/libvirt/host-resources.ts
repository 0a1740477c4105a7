import { LRUCache } from 'lru-cache'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { LastResults, noProblems, type Problems } from '../shared/last-results.ts'
import { unlessUnsupported, type Calls } from './calls.ts'
import { readFilters, type Filter } from './filters.ts'
import { readNetworks, type Network } from './networks.ts'
import { readPools, type Pool } from './pools.ts'
import { activeNetworksOnly } from './protocol.ts'
import { LibvirtError, type NamedHandle } from './records.ts'

/**
 * Resources of the host that the XML of a domain refers to by name. Empty if libvirt does not
 * support them.
 */
export interface HostResources {
  readonly networks: ReadonlyMap<string, Network>
  readonly pools: readonly Pool[]
  readonly filters: ReadonlyMap<string, Filter>
}

/** The last responses of a daemon, for when a call fails. */
class Memory {
  readonly networks = new LastResults<HostResources['networks']>()
  readonly pools = new LastResults<HostResources['pools']>()
  readonly filters = new LastResults<HostResources['filters']>()
  /** The active networks; absent if libvirt does not tell. */
  readonly active = new LastResults<{ readonly networks?: readonly NamedHandle[] | undefined }>()
}

/** They outlive the connection. */
const memories = new LRUCache<string, Memory>({ max: 256 })

/** Each driver can have a daemon of its own. If one denies the login, the connection still works. */
function ofOneDaemon(error: unknown): unknown {
  if (!(error instanceof LibvirtError) || error.kind !== 'credentials') return error
  const failed = new SourceError('failed', error.message, { cause: error })
  failed.call = error.call
  return failed
}

/** Reads the resources of one daemon. What fails is replaced by its last response. */
export function createHostResourceReader(daemon: readonly string[]) {
  const key = JSON.stringify(daemon)
  const memory = memories.get(key) ?? new Memory()
  memories.set(key, memory)

  async function attempt<Result>(
    calls: Calls,
    last: LastResults<Result>,
    name: string,
    request: () => Promise<Result>,
    problems: Problems,
  ): Promise<Result | undefined> {
    return await last.read('', problems, name, async () => {
      try {
        return await request()
      } catch (error) {
        await calls.requireConnection(error)
        throw ofOneDaemon(error)
      }
    })
  }

  async function readShared(calls: Calls, problems: Problems): Promise<HostResources> {
    const budget = new ListBudget()
    const [networks, pools, filters] = await Promise.all([
      attempt(calls, memory.networks, 'networks', () => readNetworks(calls, budget), problems),
      attempt(calls, memory.pools, 'pools', () => readPools(calls, budget), problems),
      attempt(calls, memory.filters, 'filters', () => readFilters(calls, budget), problems),
    ])
    for (const error of budget.errors()) problems.failed.set(error.message, error)
    return { networks: networks ?? new Map(), pools: pools ?? [], filters: filters ?? new Map() }
  }

  return {
    read: (calls: Calls) => readShared(calls, noProblems()),
    /** With the active networks, and the errors of what may be outdated. */
    async readAll(calls: Calls) {
      const problems = noProblems()
      const readActive = async () => ({
        networks: await unlessUnsupported(calls.networks(activeNetworksOnly)),
      })
      const [hostResources, active] = await Promise.all([
        readShared(calls, problems),
        attempt(calls, memory.active, 'active', readActive, problems),
      ])
      return { hostResources, active: active?.networks, failures: [...problems.failed.values()] }
    },
  }
}
