import type {
  ReportedServer,
  ScanPage,
  ServerReference,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import type { Json } from '../shared/json.ts'
import { findServer, listServers } from './compute.ts'
import { findHostsAndZones } from './hosts.ts'
import type { Scope } from './keystone.ts'
import { createLookupLoader } from './lookups.ts'
import { forgetOthers, planRegion, projectsFor, type ProjectInRegion } from './regions.ts'
import type { Session } from './session.ts'
import { isDeleted } from './status.ts'
import { toResources } from './to-resources.ts'
import { hostNameOf, isReadable, keyOf, toServer, zoneNameOf } from './to-server.ts'
import type { MappingContext } from './to-server.ts'

function toUpdate(servers: readonly Json[], context: MappingContext): SourceUpdate {
  const [deleted, live] = [servers.filter(isDeleted), servers.filter((one) => !isDeleted(one))]
  const read = live.map((server) => toServer(server, context))
  return {
    present: read.filter((server) => 'facts' in server),
    unreadable: read.filter((server) => 'reason' in server),
    gone: deleted.map(keyOf),
  }
}

/**
 * The projects that are read in every region; undefined if all are. A role may have been lost, or a
 * project's catalog may lack a region: missing servers of other projects may still exist.
 */
function completeProjects(
  plans: readonly (readonly ProjectInRegion[])[],
): readonly string[] | undefined {
  const ofProjects = plans.filter((plan) => !plan.some(({ compute }) => compute.seesAllProjects))
  if (ofProjects.length === 0) return undefined
  return ofProjects
    .map((plan) => new Set(plan.map(({ projectId }) => projectId)))
    .reduce((left, right) => left.intersection(right))
    .values()
    .toArray()
}

/** Yields all servers of the regions, and then the resources that they can name. */
export async function* scanRegions(
  session: Session,
  scopes: readonly Scope[],
  regions: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const plans: (readonly ProjectInRegion[])[] = []
  for (const region of regions) plans.push(await planRegion(session, scopes, region, signal))
  forgetOthers(session, regions)
  const tenants = completeProjects(plans)
  if (tenants) yield { present: [], gone: [], tenants }
  for (const project of plans.flat()) yield* scanProject(session, project, signal)
}

/** The loader of a project, with the cache of the session. */
function lookupLoader({ lookups }: Session, { key, compute }: ProjectInRegion) {
  const cache = lookups.get(key) ?? new Map()
  lookups.set(key, cache)
  return createLookupLoader(compute, cache)
}

async function* scanProject(
  session: Session,
  project: ProjectInRegion,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const { compute, site } = project
  const { lookups, missing } = await lookupLoader(session, project).loadAll(signal)
  const named = { hosts: new Set<string>(), zones: new Set<string>() }
  let count = 0
  for await (const servers of listServers(compute, signal)) {
    for (const server of servers) {
      if (hostNameOf(server) !== '') named.hosts.add(hostNameOf(server))
      if (zoneNameOf(server) !== '') named.zones.add(zoneNameOf(server))
    }
    count += servers.length
    yield toUpdate(servers, { site, lookups, projectNames: session.projectNames })
  }
  const hostsAndZones = await findHostsAndZones(compute, signal)
  for (const resources of toResources(site, hostsAndZones, named, lookups)) {
    yield { present: [], gone: [], resources }
  }
  const denied = hostsAndZones.areZonesDenied ? [...missing, 'compute: list zones'] : missing
  for (const permission of denied) {
    yield { present: [], gone: [], forbidden: { permission, servers: count } }
  }
}

/** Converts a few servers, in the same form as a scan. */
export async function readServers(
  session: Session,
  project: ProjectInRegion,
  servers: readonly Json[],
  signal: AbortSignal,
): Promise<SourceUpdate> {
  const live = servers.filter((server) => !isDeleted(server) && isReadable(server))
  const { lookups } = await lookupLoader(session, project).loadFor(live, signal)
  return toUpdate(servers, { site: project.site, lookups, projectNames: session.projectNames })
}

const planAll = async (session: Session, region: string, signal: AbortSignal) =>
  planRegion(session, await session.keystone.findScopes(signal), region, signal)

/** Reads one server, in the same form as a scan. */
export async function getServer(
  session: Session,
  reference: ServerReference,
  signal: AbortSignal,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const { externalId, regionId } = reference
  const plan = session.plans.get(regionId) ?? (await planAll(session, regionId, signal))
  for (const project of projectsFor(reference, plan)) {
    const server = await findServer(project.compute, externalId, signal)
    if (!server) continue
    const { present, unreadable = [] } = await readServers(session, project, [server], signal)
    return present[0] ?? unreadable[0]
  }
  return undefined
}
