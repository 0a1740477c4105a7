import {
  cloudproviders,
  cloudregions,
  hosts,
  networks,
  zones,
  type Resource,
  type Server,
  type Wire,
} from '@muster/contract'

interface KindDescription {
  readonly resource: Resource
  /** The field of a server with the id; `nics` for the networks of its NICs. */
  readonly namedBy: keyof Server
  /** The field with the number of servers. It is not stored. */
  readonly count: string
}

/** The resources that servers name, in the order in which they are written. */
export const resourceKinds = {
  cloudregions: { resource: cloudregions, namedBy: 'cloudregion_id', count: 'guest_count' },
  zones: { resource: zones, namedBy: 'zone_id', count: 'guest_count' },
  cloudproviders: { resource: cloudproviders, namedBy: 'manager_id', count: 'guest_count' },
  networks: { resource: networks, namedBy: 'nics', count: 'guest_count' },
  hosts: { resource: hosts, namedBy: 'host_id', count: 'guests' },
} as const satisfies Readonly<Record<string, KindDescription>>

export type ResourceKind = keyof typeof resourceKinds
export type ResourceOf<Kind extends ResourceKind> = Wire<(typeof resourceKinds)[Kind]['resource']>

export const allKinds = Object.keys(resourceKinds) as ResourceKind[]

export const resourceOf = (kind: ResourceKind): Resource => resourceKinds[kind].resource
