import { SourceError } from '../../domain/sources/source-error.ts'
import type { ServerReference } from '../../domain/sources/source.ts'
import { textOf } from '../shared/json.ts'
import { cloudOf, regionsOf } from './catalog.ts'
import { openCompute, type Compute } from './compute.ts'
import type { Scope } from './keystone.ts'
import type { Site } from './resource-ids.ts'
import { retainKeys } from './retain-keys.ts'
import { createServiceClient } from './service-client.ts'
import type { Session } from './session.ts'

/** One project in one region, or all projects with one token. */
export interface ProjectInRegion {
  /** Identifies it within the account. */
  readonly key: string
  readonly compute: Compute
  readonly projectId: string
  readonly site: Site
}

/** All regions to read, by the catalog. */
export async function findRegions(
  { keystone, settings }: Session,
  scopes: readonly Scope[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const scope of scopes) {
    const { catalog } = await keystone.getToken(scope, signal)
    for (const region of regionsOf(catalog)) found.add(region)
  }
  const catalogName = `The catalog of ${new URL(settings.authUrl).host}`
  if (found.size === 0) {
    throw new SourceError(
      'incomplete',
      `${catalogName} has no ${settings.interface} endpoint of the compute service.`,
    )
  }
  const absent = settings.regions.find((region) => !found.has(region))
  if (absent !== undefined) {
    throw new SourceError(
      'incomplete',
      `${catalogName} has no compute service in region ${absent}.`,
    )
  }
  return settings.regions.length === 0 ? [...found].sort() : settings.regions
}

/** Loads the names of all projects, if Keystone lists them for these credentials. */
async function loadProjectNames(
  { keystone, projectNames }: Session,
  scope: Scope,
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

/** Finds out what to read in a region: all projects with one token if possible, else each project. */
export async function planRegion(
  session: Session,
  scopes: readonly Scope[],
  region: string,
  signal: AbortSignal,
): Promise<readonly ProjectInRegion[]> {
  const { keystone, settings, plans, projectNames } = session
  let plan: ProjectInRegion[] = []
  for (const scope of scopes) {
    const { catalog, projectId, projectName } = await keystone.getToken(scope, signal)
    projectNames.set(projectId, projectName)
    if (!regionsOf(catalog).includes(region)) continue
    const compute = await openCompute(createServiceClient(session, scope, region), signal)
    const site = { cloud: cloudOf(catalog, region) || new URL(settings.authUrl).host, region }
    const project = { key: `${region} ${scope.key}`, compute, projectId, site }
    plan.push(project)
    if (!compute.seesAllProjects) continue
    await loadProjectNames(session, scope, signal)
    plan = [project]
    break
  }
  plans.set(region, plan)
  return plan
}

/** The projects of a plan in which a server can be. */
export function projectsFor(
  { regionId, tenantId }: ServerReference,
  plan: readonly ProjectInRegion[],
): readonly ProjectInRegion[] {
  if (tenantId === '') return plan
  const own = plan.filter(
    ({ compute, projectId }) => compute.seesAllProjects || projectId === tenantId,
  )
  if (own.length > 0) return own
  throw new SourceError(
    'incomplete',
    `The credentials do not read project ${tenantId} in region ${regionId}.`,
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
