import type { CloudRegion, Host, Network, Zone } from '@muster/contract'

/** Fields that Muster sets. */
type Assigned =
  | 'account'
  | 'account_id'
  | 'brand'
  | 'created_at'
  | 'guest_count'
  | 'guests'
  | 'manager'
  | 'manager_id'
  | 'updated_at'

/** The id must be the one that servers name. Fields that the source does not know are left out. */
type Reported<Resource extends { id: string; name: string }> = Pick<Resource, 'id' | 'name'> &
  Partial<Omit<Resource, Assigned>>

export type ReportedHost = Reported<Host>
export type ReportedNetwork = Reported<Network>
export type ReportedRegion = Reported<CloudRegion>
export type ReportedZone = Reported<Zone>

/**
 * What a source reports besides servers. A host, network, region or zone that only a server names
 * need not be reported: Muster takes its id and name from the server.
 */
export interface ReportedResources {
  readonly hosts?: readonly ReportedHost[]
  readonly networks?: readonly ReportedNetwork[]
  readonly cloudregions?: readonly ReportedRegion[]
  readonly zones?: readonly ReportedZone[]
}
