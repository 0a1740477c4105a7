import { SourceError } from '../../domain/sources/source-error.ts'

/** The element that holds the list in the response to each action that Muster uses. */
export const listElements: Readonly<Record<string, string>> = {
  DescribeAddresses: 'addressesSet',
  DescribeAvailabilityZones: 'availabilityZoneInfo',
  DescribeHosts: 'hostSet',
  DescribeImages: 'imagesSet',
  DescribeInstanceTypes: 'instanceTypeSet',
  DescribeInstances: 'reservationSet',
  DescribeKeyPairs: 'keySet',
  DescribeRegions: 'regionInfo',
  DescribeSecurityGroups: 'securityGroupInfo',
  DescribeSpotInstanceRequests: 'spotInstanceRequestSet',
  DescribeSubnets: 'subnetSet',
  DescribeVolumes: 'volumeSet',
  DescribeVpcs: 'vpcSet',
}

/**
 * Whether the response has its list, either empty or with items. The SDK reads a list with any other
 * content as an empty one, and an empty list of instances means that all of them are gone.
 */
export function hasList(body: string, action: string): boolean {
  const name = listElements[action]
  if (name === undefined) return true
  return new RegExp(String.raw`<${name}(?:\s[^>]*)?(?:/>|>\s*(?:</${name}\s*>|<item[\s/>]))`).test(
    body,
  )
}

/** The list as the SDK read it: undefined where the response has none in its place. */
export function requireList<Item>(
  list: readonly Item[] | undefined,
  what: string,
): readonly Item[] {
  if (list) return list
  throw new SourceError('invalid-response', `The response has no list of ${what}.`)
}
