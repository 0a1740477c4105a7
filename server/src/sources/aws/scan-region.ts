import type { ReportedServer, ScanPage, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { describeInstance, keyOf } from './describe-instance.ts'
import { findHosts } from './find-hosts.ts'
import { findInstances } from './find-instance.ts'
import type { AttributeMemory } from './instance-attributes.ts'
import type { RegionClient } from './region-client.ts'
import { listInstances, type OwnedInstance } from './list-instances.ts'
import { createRegionLookups, type CachedLookups, type RegionLookups } from './region-lookups.ts'
import { nameOf } from './tags.ts'
import { toResources } from './to-resources.ts'

/** State that scans and single reads of a region share. */
export interface RegionMemory {
  readonly cached: CachedLookups
  readonly memory: AttributeMemory
}

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
  { cached, memory }: RegionMemory,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const lookups = createRegionLookups(client, cached, memory)
  let loaded: Promise<void> | undefined
  const ids = new Set<string>()
  const [hostIds, images, types] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let spot = 0
  let onHosts = 0
  for await (const page of listInstances(client, signal)) {
    const here = page.filter((owned) => !hasEnded(owned))
    // After the first page, so that a region that does not answer causes only one wait.
    await (loaded ??= lookups.loadResources(signal))
    await lookups.load(
      here.map(({ instance }) => instance),
      true,
      signal,
    )
    for (const { instance } of here) {
      ids.add(instance.InstanceId ?? '')
      images.add(instance.ImageId ?? '')
      types.add(instance.InstanceType ?? '')
      if (instance.SpotInstanceRequestId !== undefined) spot += 1
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
  await (loaded ?? lookups.loadResources(signal))
  lookups.attributes.retain(ids)
  const { hosts, isForbidden, failure } = await findHosts(client, hostIds, signal)
  const { zones, subnets, vpcs } = Object.fromEntries(lookups.failures)
  yield {
    present: [],
    gone: [],
    // Without one of them, the others would lose details.
    ...(!(zones ?? subnets ?? vpcs ?? failure) && {
      resources: toResources(client.region, lookups, { images, types, hosts }),
    }),
    ...(isForbidden && { forbidden: { permission: 'ec2:DescribeHosts', servers: onHosts } }),
  }
  const errors = [...lookups.failures.values(), failure ?? []]
  yield {
    present: [],
    gone: [],
    failed: errors.flat().map((error) => ({ region: client.region, error, hasServers: true })),
  }
  const reportDenied = (permission: string, servers: number): ScanPage => ({
    present: [],
    gone: [],
    forbidden: { permission, servers },
  })
  const { failure: error } = lookups.attributes
  if (error?.kind === 'forbidden') yield reportDenied('ec2:DescribeInstanceAttribute', ids.size)
  else if (error) {
    yield { present: [], gone: [], failed: [{ region: client.region, error, hasServers: true }] }
  }
  for (const permission of lookups.denied) yield reportDenied(permission, spot)
}

/** Reads instances in the same form as a scan, in this order; undefined for those that are gone. */
export async function getInstances(
  client: RegionClient,
  others: readonly RegionClient[],
  { cached, memory }: RegionMemory,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]> {
  const found = await findInstances(client, others, ids, signal)
  const here = found.filter((owned) => owned !== undefined && !hasEnded(owned))
  const lookups = createRegionLookups(client, cached, memory)
  await lookups.load(
    here.flatMap((owned) => owned?.instance ?? []),
    false,
    signal,
  )
  return found.map((owned) =>
    owned && !hasEnded(owned) ? readInstance(owned, client.region, lookups) : undefined,
  )
}
