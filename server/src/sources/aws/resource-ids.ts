import type { AvailabilityZone } from '@aws-sdk/client-ec2'
import { derivedId } from '../../domain/sources/derived-id.ts'
import type { Lookup } from './region-lookup.ts'

export const regionIdOf = (region: string): string => derivedId('region', 'aws', region)
export const flavorIdOf = (region: string, type: string): string =>
  derivedId('flavor', 'aws', region, type)
export const hostIdOf = (host: string): string => derivedId('host', 'aws', host)

/** Instances, subnets and hosts are in a zone. Some compatible systems leave its id out. */
interface Located {
  readonly AvailabilityZone?: string | undefined
  readonly AvailabilityZoneId?: string | undefined
}

/** A zone name means another zone in each account; the zone id is the same in all. */
export function zoneOf(
  { AvailabilityZone: name = '', AvailabilityZoneId }: Located,
  region: string,
  zones: Pick<Lookup<AvailabilityZone>, 'get'>,
) {
  const externalId = AvailabilityZoneId ?? zones.get(name)?.ZoneId ?? name
  return { name, externalId, id: derivedId('zone', 'aws', region, externalId) }
}
