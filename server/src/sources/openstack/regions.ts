import { SourceError } from '../../domain/sources/source-error.ts'
import type { FailedPart, ServerReference } from '../../domain/sources/source.ts'
import { textOf } from '../shared/json.ts'
import { cloudOf, regionsOf } from './catalog.ts'
import { openCompute, type Compute } from './compute.ts'
import type { TokenScope } from './keystone.ts'
import type { Site } from './resource-ids.ts'
import { retainKeys } from './retain-keys.ts'
import { createServiceClient } from './service-client.ts'
import type { Session } from './session.ts'

/** Of projects in a row, before the identity service or a region counts as failed. */
const maxFailedLogins = 3
export const maxFailedProjects = 3

/** One project in one region, or all projects with one token. */
export interface ProjectInRegion {
  /** Identifies it within the account. */
  readonly key: string
  readonly compute: Compute
  readonly projectId: string
  readonly site: Site
}

interface FoundRegions {
  /** All that are read, also those that failed. */
  readonly regions: readonly string[]
  /** The projects with a token. */
  readonly scopes: readonly TokenScope[]
  readonly failed: readonly FailedPart[]
}

/** Returns the error of a failed request; throws all others. */
export function requireSourceError(error: unknown, signal: AbortSignal): SourceError {
  if (signal.aborted || !(error instanceof SourceError)) throw error
  return error
}

/** All regions to read, by the catalogs of these projects, or of the first one that has a token. */
export async function findRegions(
  { keystone, settings }: Session,
  scopes: readonly TokenScope[],
  signal: AbortSignal,
  isFirstEnough = false,
): Promise<FoundRegions> {
  const found = new Set<string>()
  const usable: TokenScope[] = []
  const failed: FailedPart[] = []
  for (const scope of scopes) {
    if (isFirstEnough && usable.length > 0) break
    try {
      const { catalog } = await keystone.getToken(scope, signal)
      usable.push(scope)
      for (const region of regionsOf(catalog)) found.add(region)
    } catch (cause) {
      const error = requireSourceError(cause, signal)
      const isLast = failed.length + 1 === Math.min(scopes.length, maxFailedLogins)
      if (isLast && usable.length === 0) throw failed[0]?.error ?? error
      failed.push({ region: '', tenant: scope.key, error })
    }
  }
  const catalogName = `The catalog of ${new URL(settings.authUrl).host}`
  if (found.size === 0) {
    throw new SourceError(
      'incomplete',
      `${catalogName} has no ${settings.interface} endpoint of the compute service.`,
    )
  }
  const regions = settings.regions.length === 0 ? [...found].sort() : settings.regions
  const absent = regions
    .filter((region) => !found.has(region))
    .map((region) => ({
      region,
      error: new SourceError(
        'incomplete',
        `${catalogName} has no compute service in region ${region}.`,
      ),
    }))
  if (absent[0] && absent.length === regions.length) throw absent[0].error
  return { regions, scopes: usable, failed: [...failed, ...absent] }
}

/** Loads the names of all projects, if Keystone lists them for these credentials. */
async function loadProjectNames(
  { keystone, projectNames }: Session,
  scope: TokenScope,
  signal: AbortSignal,
): Promise<void> {
  try {
    const projects = await keystone.listAllProjects(scope, signal)
    retainKeys(
      projectNames,
      projects.map((project) => textOf(project, 'id')),
    )
    for (const project of projects) projectNames.set(textOf(project, 'id'), textOf(project, 'name'))
  } catch (error) {
    // Names are useful, but servers can be read without them.
    if (signal.aborted || !(error instanceof SourceError)) throw error
  }
}

export interface RegionPlan {
  readonly projects: readonly ProjectInRegion[]
  /** Why a project could not be opened. */
  readonly failed: readonly FailedPart[]
}

/**
 * Finds out what to read in a region: all projects with one token if possible, else each project. A project
 * that fails leaves the others; if all fail, it throws.
 */
export async function planRegion(
  session: Session,
  scopes: readonly TokenScope[],
  region: string,
  signal: AbortSignal,
): Promise<RegionPlan> {
  const { keystone, settings, plans, projectNames } = session
  const projects: ProjectInRegion[] = []
  const failed: FailedPart[] = []

  /** Undefined if the project does not have the region. */
  async function openProject(scope: TokenScope): Promise<ProjectInRegion | undefined> {
    const { catalog, projectId, projectName } = await keystone.getToken(scope, signal)
    projectNames.set(projectId, projectName)
    if (!regionsOf(catalog).includes(region)) return undefined
    const compute = await openCompute(createServiceClient(session, scope, region), signal)
    const site = { cloud: cloudOf(catalog, region) || new URL(settings.authUrl).host, region }
    return { key: `${region} ${scope.key}`, compute, projectId, site }
  }

  for (const scope of scopes) {
    try {
      const project = await openProject(scope)
      if (project?.compute.seesAllProjects === true) {
        await loadProjectNames(session, scope, signal)
        plans.set(region, [project])
        return { projects: [project], failed: [] }
      }
      if (project) projects.push(project)
    } catch (cause) {
      const error = requireSourceError(cause, signal)
      failed.push({ region, tenant: scope.key, error })
      // Each further project would wait for a service that is down.
      if (failed.length === maxFailedProjects && projects.length === 0) throw error
    }
  }
  if (failed[0] && projects.length === 0) throw failed[0].error
  plans.set(region, projects)
  return { projects, failed }
}

/** The projects of a plan in which a server can be. */
export function projectsFor(
  { regionId, tenantId }: ServerReference,
  plan: readonly ProjectInRegion[],
): readonly ProjectInRegion[] {
  const own = plan.filter(
    ({ compute, projectId }) =>
      tenantId === '' || compute.seesAllProjects || projectId === tenantId,
  )
  if (own.length > 0) return own
  const project = tenantId === '' ? 'any project' : `project ${tenantId}`
  throw new SourceError(
    'incomplete',
    `The credentials do not read ${project} in region ${regionId}.`,
  )
}

/** Removes the cached data of regions and projects that are no longer read. */
export function forgetOthers(
  { lookups, plans, projectNames }: Pick<Session, 'lookups' | 'plans' | 'projectNames'>,
  regions: readonly string[],
): void {
  retainKeys(plans, regions)
  const current = [...plans.values()].flat()
  retainKeys(
    lookups,
    current.map(({ key }) => key),
  )
  if (current.some(({ compute }) => compute.seesAllProjects)) return
  retainKeys(
    projectNames,
    current.map(({ projectId }) => projectId),
  )
}
