import type { ReportedServer, ScanPage, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { describeInstance, keyOf } from './describe-instance.ts'
import { findHosts } from './find-hosts.ts'
import { findInstance } from './find-instance.ts'
import type { RegionClient } from './region-client.ts'
import { listInstances, type OwnedInstance } from './list-instances.ts'
import { createRegionLookups, type CachedLookups, type RegionLookups } from './region-lookups.ts'
import { nameOf } from './tags.ts'
import { toResources } from './to-resources.ts'

/** EC2 lists terminated instances for an hour. */
const hasEnded = ({ instance }: OwnedInstance) => instance.State?.Name === 'terminated'

/** An instance as a server, or why it cannot be read. */
function readInstance(
  owned: OwnedInstance,
  region: string,
  lookups: RegionLookups,
): ReportedServer | UnreadableServer {
  const key = keyOf(owned, region)
  try {
    if (owned.problem) throw owned.problem
    return describeInstance(owned, region, lookups)
  } catch (error) {
    const { InstanceId = '', Tags } = owned.instance
    return unreadableServer(key, nameOf(Tags, InstanceId), error)
  }
}

/** Yields all instances of a region, and then the resources that they can name. */
export async function* scanRegion(
  client: RegionClient,
  cached: CachedLookups,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const lookups = createRegionLookups(client, cached)
  const { zones, subnets, vpcs } = lookups
  await Promise.all([zones, subnets, vpcs].map((lookup) => lookup.loadAll(signal)))
  const hostIds = new Set<string>()
  let onHosts = 0
  for await (const page of listInstances(client, signal)) {
    const here = page.filter((owned) => !hasEnded(owned))
    await lookups.load(
      here.map(({ instance }) => instance),
      signal,
    )
    for (const { instance } of here) {
      if (instance.Placement?.HostId === undefined) continue
      hostIds.add(instance.Placement.HostId)
      onHosts += 1
    }
    const servers = here.map((owned) => readInstance(owned, client.region, lookups))
    yield {
      present: servers.filter((server) => 'facts' in server),
      unreadable: servers.filter((server) => 'reason' in server),
      gone: page.filter(hasEnded).map((owned) => keyOf(owned, client.region)),
    }
  }
  const { hosts, isForbidden } = await findHosts(client, hostIds, signal)
  yield {
    present: [],
    gone: [],
    resources: toResources(client.region, lookups, hosts),
    ...(isForbidden && { forbidden: { permission: 'ec2:DescribeHosts', servers: onHosts } }),
  }
}

/** Reads one instance, in the same form as a scan. */
export async function getInstance(
  client: RegionClient,
  cached: CachedLookups,
  id: string,
  signal: AbortSignal,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const owned = await findInstance(client, id, signal)
  if (!owned || hasEnded(owned)) return undefined
  const lookups = createRegionLookups(client, cached)
  await lookups.load([owned.instance], signal)
  return readInstance(owned, client.region, lookups)
}
