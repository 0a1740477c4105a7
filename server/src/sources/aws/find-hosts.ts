import type { Host } from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import { paginate } from './paginate.ts'
import type { RegionClient } from './region-client.ts'

/**
 * Finds Dedicated Hosts by id. They are undefined if the key may not list them: older keys lack this
 * permission, and servers can be read without it.
 */
export async function findHosts(
  { region, call }: RegionClient,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Host | undefined>> {
  const found = new Map<string, Host | undefined>([...ids].map((id) => [id, undefined]))
  if (ids.size === 0) return found
  const pages = paginate({
    what: `hosts in ${region}`,
    // EC2 has no filter by id, and rejects a list of ids if one of them no longer exists.
    call: (NextToken) =>
      call((ec2, options) => ec2.describeHosts({ MaxResults: 500, NextToken }, options), signal),
    itemsOf: ({ Hosts }) => Hosts,
    idOf: ({ HostId }) => HostId,
  })
  try {
    for (const host of (await Array.fromAsync(pages)).flat()) {
      if (ids.has(host.HostId ?? '')) found.set(host.HostId ?? '', host)
    }
  } catch (error) {
    if (!(error instanceof SourceError && error.kind === 'forbidden')) throw error
  }
  return found
}
