import { SourceError } from '../../domain/sources/source-error.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import type { Calls } from './calls.ts'
import { unlessUnsupported } from './tolerated-errors.ts'
import { readFilter, type Filter } from './filters.ts'
import { readNetwork, type Network } from './networks.ts'
import { readPool, type Pool } from './pools.ts'
import { activeNetworksOnly } from './protocol.ts'
import { LibvirtError, type NamedHandle } from './records.ts'

/**
 * Resources of the host that the XML of a domain refers to by name, in the order of libvirt. Empty if libvirt does not
 * support them.
 */
export interface HostResources {
  readonly networks: ReadonlyMap<string, Network>
  readonly pools: ReadonlyMap<string, Pool>
  readonly filters: ReadonlyMap<string, Filter>
  /** Whether the resource of this name, or any of the kind, could not be read. It must not look absent. */
  isUnread(kind: 'networks' | 'pools' | 'filters', name?: string): boolean
}

/** Of each kind, because they may be large. */
const maxAtOnce = 2
/** What an element or a lease takes in memory until it is garbage. All of a host may have 39,000. */
const bytesOfEntry = 1_200
/** What a message that is dropped as it arrives takes until it is garbage. */
const bytesOfDropped = 4 * 2 ** 20

/** One of them, and the number of entries that it was read from. */
export interface Described<Item> {
  readonly item: Item
  readonly entries: number
}

/** Each driver can have a daemon of its own. If one denies the login, the connection still works. */
function ofOneDaemon(error: SourceError): SourceError {
  if (!(error instanceof LibvirtError) || error.kind !== 'credentials') return error
  const failed = new SourceError('failed', error.message, { cause: error })
  failed.call = error.call
  return failed
}

interface Listed<Item> {
  readonly items: ReadonlyMap<string, Item>
  isUnread(name?: string): boolean
}

/** Reads the resources of a daemon. What fails is left out, with its error. */
function createReader(calls: Calls) {
  const budget = new ListBudget()
  /** One for each call: each of many resources may fail. */
  const failures = new Map<string, SourceError>()

  async function noteFailure(error: unknown): Promise<SourceError> {
    await calls.requireConnection(error)
    if (!(error instanceof SourceError)) throw error
    failures.set(error.call, ofOneDaemon(error))
    return error
  }

  async function list<Item>(
    what: string,
    handles: Promise<readonly NamedHandle[]>,
    read: (handle: NamedHandle) => Promise<Described<Item> | undefined>,
  ): Promise<Listed<Item>> {
    const found = new Map<string, Item>()
    const unread = new Set<string>()
    let all: readonly NamedHandle[]
    try {
      all = (await unlessUnsupported(handles)) ?? []
    } catch (error) {
      await noteFailure(error)
      return { items: new Map(), isUnread: () => true }
    }
    let isOver = false
    await forEachLimited(all, maxAtOnce, async (handle) => {
      unread.add(handle.name)
      if (isOver) return
      try {
        const { item, entries = 0 } = (await read(handle)) ?? {}
        if (!budget.mayContinue(entries * bytesOfEntry, what)) isOver = true
        if (item && !budget.take(item, what)) return
        if (item) found.set(handle.name, item)
        unread.delete(handle.name)
      } catch (error) {
        const failure = await noteFailure(error)
        const isLarge = failure instanceof ResponseTooLarge
        if (isLarge && !budget.mayContinue(bytesOfDropped, what)) isOver = true
        // Each further call would only wait, too.
        if (failure.kind === 'timeout') isOver = true
      }
    })
    const items = all.flatMap(({ name }) => {
      const item = found.get(name)
      return item ? [[name, item] as const] : []
    })
    return {
      items: new Map(items),
      isUnread: (name) => (name === undefined ? unread.size > 0 : unread.has(name)),
    }
  }

  return {
    async readResources(): Promise<HostResources> {
      const [networks, pools, filters] = await Promise.all([
        list('networks', calls.networks(), (handle) => readNetwork(calls, handle)),
        list('storage pools', calls.pools(), (handle) => readPool(calls, handle)),
        list('network filters', calls.filters(), (handle) => readFilter(calls, handle)),
      ])
      const kinds = { networks, pools, filters }
      return {
        networks: networks.items,
        pools: pools.items,
        filters: filters.items,
        isUnread: (kind, name) => kinds[kind].isUnread(name),
      }
    },
    /** Undefined if they could not be read; without a list if libvirt does not tell. */
    async readActive(): Promise<{ readonly networks?: readonly NamedHandle[] } | undefined> {
      try {
        const networks = await unlessUnsupported(calls.networks(activeNetworksOnly))
        return networks ? { networks } : {}
      } catch (error) {
        await noteFailure(error)
        return undefined
      }
    },
    failures: () => [...failures.values(), ...budget.errors()],
  }
}

export const readHostResources = (calls: Calls): Promise<HostResources> =>
  createReader(calls).readResources()

/** With the active networks, and the errors of what could not be read. */
export async function readAllHostResources(calls: Calls) {
  const { readResources, readActive, failures } = createReader(calls)
  const [hostResources, active] = await Promise.all([readResources(), readActive()])
  return { hostResources, active, failures: failures() }
}
