import { SourceError } from '../../domain/sources/source-error.ts'
import { openCompute, type Compute } from './compute.ts'
import type { Scope } from './keystone.ts'
import type { Site } from './resource-ids.ts'
import { cloudOf, createServiceClient, regionsOf } from './service-client.ts'
import { learnProjects, type Session } from './session.ts'

/** One project in one region, or all projects with one token. */
export interface Reading {
  readonly compute: Compute
  readonly scope: Scope
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
    const token = await keystone.getToken(scope, signal)
    for (const region of regionsOf(token, settings.interface)) found.add(region)
  }
  if (found.size === 0) {
    throw new SourceError(
      'incomplete',
      `The catalog has no ${settings.interface} endpoint of the compute service.`,
    )
  }
  const absent = settings.regions.find((region) => !found.has(region))
  if (absent !== undefined) {
    throw new SourceError('incomplete', `The catalog has no compute service in region ${absent}.`)
  }
  return settings.regions.length === 0 ? [...found].sort() : settings.regions
}

/** Finds out what to read in a region: all projects with one token if possible, else each project. */
export async function planRegion(
  session: Session,
  scopes: readonly Scope[],
  region: string,
  signal: AbortSignal,
): Promise<readonly Reading[]> {
  const { keystone, settings, plans } = session
  const readings: Reading[] = []
  for (const scope of scopes) {
    const token = await keystone.getToken(scope, signal)
    session.projects.set(token.project.id, token.project.name)
    if (!regionsOf(token, settings.interface).includes(region)) continue
    const connection = { ...session, interface: settings.interface }
    const client = createServiceClient(connection, scope, region)
    const compute = await openCompute(client, signal)
    const cloud = cloudOf(token, region) || new URL(settings.authUrl).host
    const site = { cloud, region }
    const reading = { compute, scope, projectId: token.project.id, site }
    readings.push(reading)
    if (!compute.seesAllProjects) continue
    await learnProjects(session, scope, signal)
    plans.set(region, [reading])
    return [reading]
  }
  plans.set(region, readings)
  return readings
}
