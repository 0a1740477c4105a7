import type { InventoryObject, InventoryResources, ReferencedKind } from '../inventory/kinds.ts'

/** Fields that Muster sets. */
type Assigned =
  | InventoryResources[ReferencedKind]['visibility']['count']
  | 'account'
  | 'account_id'
  | 'brand'
  | 'created_at'
  | 'manager'
  | 'manager_id'
  | 'updated_at'

/** The id must be the one that servers refer to. Fields that the source does not know are left out. */
export type Reported<Kind extends ReferencedKind> = Pick<InventoryObject<Kind>, 'id' | 'name'> &
  Partial<Omit<InventoryObject<Kind>, Assigned>>

export type ReportedHost = Reported<'hosts'>
export type ReportedNetwork = Reported<'networks'>
export type ReportedZone = Reported<'zones'>

/**
 * What a source reports besides servers: at least every host, network, region and zone that a server
 * refers to. Of one that is missing, Muster shows what the server says about it.
 */
export type ReportedResources = {
  readonly [Kind in Exclude<ReferencedKind, 'cloudproviders'>]?: readonly Reported<Kind>[]
}
