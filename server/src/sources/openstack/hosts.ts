import { SourceError } from '../../domain/sources/source-error.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Compute } from './compute.ts'

/** Later versions ask each host for its uptime, and fail if one does not answer. */
const newestForHosts = 53

export interface Places {
  /** Compute hosts; empty if the credentials may not list them. */
  readonly hypervisors: readonly Json[]
  readonly zones: readonly Json[]
  /** The credentials may not list zones. */
  readonly areZonesDenied: boolean
}

/** Undefined if the request is denied. */
async function optional<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'forbidden') return undefined
    throw error
  }
}

/** Lists hosts and zones. Only administrators see hosts. */
export async function findPlaces(compute: Compute, signal: AbortSignal): Promise<Places> {
  const { client, microversion } = compute
  const minor = Math.min(Number(microversion.split('.')[1]), newestForHosts)
  const request = { service: 'compute', microversion: `2.${minor}` } as const
  const hypervisors = await optional(
    client.get({ ...request, path: '/os-hypervisors/detail', action: 'list hypervisors' }, signal),
  )
  const path = `/os-availability-zone${hypervisors ? '/detail' : ''}`
  const zones = await optional(client.get({ ...request, path, action: 'list zones' }, signal))
  return {
    hypervisors: listOf(hypervisors, 'hypervisors'),
    zones: listOf(zones, 'availabilityZoneInfo'),
    areZonesDenied: zones === undefined,
  }
}

/** The zone of each host, by the name of its compute service. */
export const zonesOfHosts = (zones: readonly Json[]): ReadonlyMap<string, string> =>
  new Map(
    zones.flatMap((zone) =>
      Object.keys(objectOf(zone, 'hosts')).map((host) => [host, textOf(zone, 'zoneName')]),
    ),
  )
