import { derivedId } from '../../domain/sources/derived-id.ts'

/** A region of one cloud. Regions and zones of most clouds have the same names. */
export interface Site {
  /** The id of the compute service in the catalog, or else the host of Keystone. Both stand for the cloud. */
  readonly cloud: string
  readonly region: string
}

export const regionIdOf = ({ cloud, region }: Site): string =>
  derivedId('region', 'openstack', cloud, region)
export const zoneIdOf = ({ cloud, region }: Site, zone: string): string =>
  derivedId('zone', 'openstack', cloud, region, zone)
/** By name, because a server does not tell the id of its flavor. Nova's flavors have different names. */
export const flavorIdOf = ({ cloud, region }: Site, name: string): string =>
  derivedId('flavor', 'openstack', cloud, region, name)
export const hostIdOf = ({ cloud, region }: Site, host: string): string =>
  derivedId('host', 'openstack', cloud, region, host)
