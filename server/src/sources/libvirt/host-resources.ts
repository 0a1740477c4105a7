import type { Calls } from './calls.ts'
import { readFilters, type Filter } from './filters.ts'
import { readNetworks, type Network } from './networks.ts'
import { readPools, type Pool } from './pools.ts'

/**
 * Resources of the host that the XML of a domain refers to by name. Empty if libvirt does not
 * support them.
 */
export interface HostResources {
  readonly networks: ReadonlyMap<string, Network>
  readonly pools: readonly Pool[]
  readonly filters: ReadonlyMap<string, Filter>
}

export async function readHostResources(calls: Calls): Promise<HostResources> {
  const [networks, pools, filters] = await Promise.all([
    readNetworks(calls),
    readPools(calls),
    readFilters(calls),
  ])
  return { networks, pools, filters }
}
