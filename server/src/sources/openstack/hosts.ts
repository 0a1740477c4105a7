import { SourceError } from '../../domain/sources/source-error.ts'
import { objectOf, textOf, type Json } from '../shared/json.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { unlessDenied } from '../shared/unless-denied.ts'
import type { Compute } from './compute.ts'
import { rowsOf } from './service-client.ts'

/** Later versions ask each host for its uptime, and fail if one does not respond. */
const newestForHosts = 53

/** A host takes about 1 kB. */
const maxBytes = 16 * 2 ** 20

/** What Nova lists besides servers. */
export interface ComputeResources {
  /** Compute hosts; empty if the credentials may not list them. */
  readonly hypervisors: readonly Json[]
  readonly zones: readonly Json[]
  readonly flavors: readonly Json[]
  /** What the credentials may not list, besides hosts. */
  readonly denied: readonly string[]
  /** Why some are missing. */
  readonly errors: readonly SourceError[]
}

/** Lists hosts, zones and flavors. Only administrators see hosts, and flavors of other projects. */
export async function findComputeResources(
  { client, microversion, seesAllProjects }: Compute,
  signal: AbortSignal,
): Promise<ComputeResources> {
  const minor = Math.min(Number(microversion.split('.')[1]), newestForHosts)
  const request = { service: 'compute', microversion: `2.${minor}` } as const
  const denied = new Set<string>()
  const budget = new ListBudget(maxBytes)
  const path = '/os-hypervisors/detail'
  const hypervisors = await unlessDenied(denied, 'list hypervisors', (action) =>
    client.listUsed({ ...request, path, action }, 'hypervisors', budget, signal),
  )
  const zonePath = `/os-availability-zone${hypervisors ? '/detail' : ''}`
  const zones = await unlessDenied(denied, 'list zones', (action) =>
    client.send({ ...request, path: zonePath, action }, signal),
  )
  const flavorPath = `/flavors/detail?limit=500${seesAllProjects ? '&is_public=None' : ''}`
  const errors: SourceError[] = []
  const flavors = await unlessDenied(denied, 'list flavors', (action) =>
    client.listUsed(
      { ...request, microversion, path: flavorPath, action },
      'flavors',
      budget,
      signal,
    ),
  ).catch((error: unknown) => {
    // A failure here must not lose the hosts and networks.
    if (signal.aborted || !(error instanceof SourceError)) throw error
    errors.push(error)
    return undefined
  })
  return {
    hypervisors: hypervisors?.rows ?? [],
    flavors: flavors?.rows ?? [],
    errors: [...budget.errors(), ...errors],
    zones: zones ? rowsOf(zones, 'availabilityZoneInfo') : [],
    denied: [...denied].filter((action) => action !== 'list hypervisors'),
  }
}

/** The zone of each host, by the name of its compute service. */
export const zonesOfHosts = (zones: readonly Json[]): ReadonlyMap<string, string> =>
  new Map(
    zones.flatMap((zone) =>
      Object.keys(objectOf(zone, 'hosts')).map((host) => [host, textOf(zone, 'zoneName')]),
    ),
  )
