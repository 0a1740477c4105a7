import type {
  ReportedServer,
  ScanPage,
  ServerReference,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import type { Json } from '../shared/json.ts'
import { findServer, listServers } from './compute.ts'
import { findPlaces } from './hosts.ts'
import { createLookupLoader } from './lookups.ts'
import { planRegion, type Reading } from './regions.ts'
import type { Scope } from './keystone.ts'
import type { Session } from './session.ts'
import { isDeleted } from './status.ts'
import { toResources } from './to-resources.ts'
import { hostNameOf, keyOf, toServer, zoneNameOf, type Surroundings } from './to-server.ts'

const siteOf = ({ settings }: Session, region: string) => ({
  cloud: new URL(settings.authUrl).host,
  region,
})

function toUpdate(servers: readonly Json[], surroundings: Surroundings): SourceUpdate {
  const [deleted, live] = [servers.filter(isDeleted), servers.filter((one) => !isDeleted(one))]
  const read = live.map((server) => toServer(server, surroundings))
  return {
    present: read.filter((server) => 'facts' in server),
    unreadable: read.filter((server) => 'reason' in server),
    gone: deleted.map(keyOf),
  }
}

/** Yields all servers of the regions, and then the resources that they can name. */
export async function* scanRegions(
  session: Session,
  scopes: readonly Scope[],
  regions: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const readings: Reading[] = []
  for (const region of regions) {
    readings.push(...(await planRegion(session, scopes, region, signal)))
  }
  if (readings.some(({ compute }) => !compute.seesAllProjects)) {
    // A role may have been lost: only these projects are known to be complete.
    const tenants = [...new Set(readings.map(({ projectId }) => projectId))]
    yield { present: [], gone: [], tenants }
  }
  for (const reading of readings) yield* scanProject(session, reading, signal)
}

async function* scanProject(
  session: Session,
  { compute, projectId }: Reading,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const site = siteOf(session, compute.client.region)
  const loader = createLookupLoader(compute, projectId, session.lookups)
  const { lookups, missing } = await loader.loadAll(signal)
  const named = { hosts: new Set<string>(), zones: new Set<string>() }
  let count = 0
  for await (const servers of listServers(compute, signal)) {
    for (const server of servers) {
      if (hostNameOf(server) !== '') named.hosts.add(hostNameOf(server))
      if (zoneNameOf(server) !== '') named.zones.add(zoneNameOf(server))
    }
    count += servers.length
    yield toUpdate(servers, { site, lookups, projects: session.projects })
  }
  const places = await findPlaces(compute, signal)
  yield { present: [], gone: [], resources: toResources(site, places, named, lookups) }
  for (const permission of missing) {
    yield { present: [], gone: [], forbidden: { permission, servers: count } }
  }
}

/** Converts a few servers, in the same form as a scan. */
export async function readServers(
  session: Session,
  { compute, projectId }: Reading,
  servers: readonly Json[],
  signal: AbortSignal,
): Promise<SourceUpdate> {
  const loader = createLookupLoader(compute, projectId, session.lookups)
  const live = servers.filter((server) => !isDeleted(server))
  const { lookups } = await loader.loadFor(live, signal)
  const site = siteOf(session, compute.client.region)
  return toUpdate(servers, { site, lookups, projects: session.projects })
}

const planAll = async (session: Session, region: string, signal: AbortSignal) =>
  planRegion(session, await session.keystone.findScopes(signal), region, signal)

/** Reads one server, in the same form as a scan. */
export async function getServer(
  session: Session,
  reference: ServerReference,
  signal: AbortSignal,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const { externalId, regionId, tenantId } = reference
  const plan = session.plans.get(regionId) ?? (await planAll(session, regionId, signal))
  const own = plan.filter(
    ({ compute, projectId }) => compute.seesAllProjects || projectId === tenantId,
  )
  for (const reading of own.length === 0 ? plan : own) {
    const server = await findServer(reading.compute, externalId, signal)
    if (!server) continue
    const { present, unreadable = [] } = await readServers(session, reading, [server], signal)
    return present[0] ?? unreadable[0]
  }
  return undefined
}
