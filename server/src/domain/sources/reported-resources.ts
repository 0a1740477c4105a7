import type { CloudRegion, Host, Network, Zone } from '@muster/contract'
import type { InventoryObject, ReferencedKind } from '../inventory/kinds.ts'

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

/** The id must be the one that servers refer to. Fields that the source does not know are left out. */
type Reported<Resource extends { id: string; name: string }> = Pick<Resource, 'id' | 'name'> &
  Partial<Omit<Resource, Assigned>>

export type ReportedHost = Reported<Host>
export type ReportedNetwork = Reported<Network>
export type ReportedRegion = Reported<CloudRegion>
export type ReportedZone = Reported<Zone>

/**
 * What a source reports besides servers: at least every host, network, region and zone that a server
 * refers to. Of one that is missing, Muster shows what the server says about it.
 */
export type ReportedResources = {
  readonly [Kind in Exclude<ReferencedKind, 'cloudproviders'>]?: readonly Reported<
    InventoryObject<Kind>
  >[]
}
