import type {
  FailedPart,
  ReportedServer,
  ScanPage,
  ServerReference,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import type { Json } from '../shared/json.ts'
import { merge } from '../shared/merge.ts'
import { findServer, listServers } from './compute.ts'
import { findComputeResources } from './hosts.ts'
import { createLookupLoader } from './lookups.ts'
import {
  forgetOthers,
  maxFailedProjects,
  planRegion,
  projectsFor,
  requireSourceError,
  type findRegions,
  type ProjectInRegion,
} from './regions.ts'
import type { Session } from './session.ts'
import { isDeleted } from './status.ts'
import { toResources } from './to-resources.ts'
import { hostNameOf, isReadable, keyOf, toServer, zoneNameOf } from './to-server.ts'
import type { MappingContext } from './to-server.ts'

const maxConcurrentRegions = 4

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
 * The projects that are read in every region; undefined if all are. After the loss of a role, or if a
 * project's catalog lacks a region, missing servers of other projects may still exist.
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

/** Yields all servers of the regions, and then the resources that they can name. A region or project fails alone. */
export async function* scanRegions(
  session: Session,
  { regions, scopes, failed: unfound }: Awaited<ReturnType<typeof findRegions>>,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const failed: FailedPart[] = [...unfound]
  const plans = new Map<string, readonly ProjectInRegion[]>()
  const usable = regions.filter((region) => unfound.every((part) => part.region !== region))
  await Promise.all(
    usable.map(async (region) => {
      try {
        const plan = await planRegion(session, scopes, region, signal)
        failed.push(...plan.failed)
        plans.set(region, plan.projects)
      } catch (error) {
        failed.push({ region, error: requireSourceError(error, signal) })
      }
    }),
  )
  if (plans.size === 0) throw firstError(failed)
  forgetOthers(session, regions)
  const tenants = completeProjects([...plans.values()])
  if (tenants) yield { present: [], gone: [], tenants }
  let isAnyRead = false

  async function* scanAlone(region: string): AsyncGenerator<ScanPage> {
    let silent = 0
    for (const project of plans.get(region) ?? []) {
      try {
        yield* scanProject(session, project, signal)
        isAnyRead = true
        silent = 0
      } catch (cause) {
        const error = requireSourceError(cause, signal)
        silent = error.kind === 'timeout' || error.kind === 'unreachable' ? silent + 1 : 0
        // Each further project would wait for a service that is down.
        const isRegion = project.compute.seesAllProjects || silent === maxFailedProjects
        failed.push({ region, ...(!isRegion && { tenant: project.projectId }), error })
        if (isRegion) return
      }
    }
  }
  const scans = [...plans.keys()].map((region) => () => scanAlone(region))
  yield* merge(scans, maxConcurrentRegions)
  if (!isAnyRead) throw firstError(failed)
  yield { present: [], gone: [], failed }
}

const firstError = (failed: readonly FailedPart[]) =>
  failed.find(({ region }) => region !== '')?.error ?? failed[0]?.error

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
  const loaded = await lookupLoader(session, project).loadAll(signal)
  const { missing, failures, cut } = loaded
  const { projectNames } = session
  const context = { site, projectNames, ...loaded }
  // Networks without their subnets would lose their addresses.
  const lookups =
    failures.has('subnets') || cut.has('subnets')
      ? { ...loaded.lookups, networks: new Map<string, Json>() }
      : loaded.lookups
  const named = { hosts: new Set<string>(), zones: new Set<string>() }
  let count = 0
  for await (const servers of listServers(compute, signal)) {
    for (const server of servers) {
      if (hostNameOf(server) !== '') named.hosts.add(hostNameOf(server))
      if (zoneNameOf(server) !== '') named.zones.add(zoneNameOf(server))
    }
    count += servers.length
    yield toUpdate(servers, context)
  }
  const errors = [...failures.values(), ...cut.values()]
  let denied = missing
  try {
    const found = await findComputeResources(compute, signal)
    for (const resources of toResources(site, found, named, lookups)) {
      yield { present: [], gone: [], resources }
    }
    errors.push(...found.errors)
    denied = [...new Set([...missing, ...found.denied.map((action) => `compute: ${action}`)])]
  } catch (error) {
    // Servers can be read without them.
    errors.push(requireSourceError(error, signal))
  }
  for (const permission of denied) {
    yield { present: [], gone: [], forbidden: { permission, servers: count } }
  }
  const failed = errors.map((error) => ({ region: site.region, error, hasServers: true }))
  yield { present: [], gone: [], failed }
}

/** Converts a few servers, in the same form as a scan. */
export async function readServers(
  session: Session,
  project: ProjectInRegion,
  servers: readonly Json[],
  signal: AbortSignal,
): Promise<SourceUpdate> {
  const live = servers.filter((server) => !isDeleted(server) && isReadable(server))
  const loaded = await lookupLoader(session, project).loadFor(live, signal)
  const { projectNames } = session
  return toUpdate(servers, { site: project.site, projectNames, ...loaded })
}

async function planAll(session: Session, region: string, signal: AbortSignal) {
  const scopes = await session.keystone.findScopes(signal)
  const { projects, failed } = await planRegion(session, scopes, region, signal)
  // A project that could not be opened may have the server.
  if (failed[0]) throw failed[0].error
  return projects
}

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
