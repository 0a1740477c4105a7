import { SourceError } from '../../domain/sources/source-error.ts'
import type { UnreadableServer } from '../../domain/sources/source.ts'
import { objectOf, textOf } from '../shared/json.ts'
import type { Api } from './api.ts'
import type { Connection } from './connection.ts'
import { pathOf, readInstance, type Instance, type UnreadInstance } from './instance.ts'
import type { Project } from './lookups.ts'

/** The projects that the certificate may see, in the order of their names. */
export async function listProjects({ api, memory, projects }: Connection): Promise<Project[]> {
  const listed = await api.list('/projects', { recursion: '1' }, 'list the projects')
  const visible = listed
    .map((project) => ({ name: textOf(project, 'name'), config: objectOf(project, 'config') }))
    .filter(({ name }) => projects.length === 0 || projects.includes(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const names = new Set(visible.map(({ name }) => name))
  for (const name of new Set([...projects, ...memory.projects])) {
    if (!names.has(name)) await requireDeleted(api, name, projects.includes(name))
  }
  if (visible.length > 0) return visible
  throw new SourceError('forbidden', `The certificate may not see any project at ${api.host}.`)
}

/** Instances of a project that is only hidden still exist. */
export async function requireDeleted(api: Api, name: string, isWanted: boolean): Promise<void> {
  const path = `/projects/${encodeURIComponent(name)}`
  let found: unknown
  try {
    found = await api.find(path, {}, `see the project ${name}`)
  } catch (error) {
    if (!(error instanceof SourceError && error.kind === 'forbidden')) throw error
    throw new SourceError(
      'forbidden',
      `The certificate may no longer see the project ${name} at ${api.host}. Allow it again, or set options.projects to the remaining projects.`,
    )
  }
  if (found === undefined && !isWanted) return
  throw new SourceError(
    'incomplete',
    found === undefined
      ? `There is no project ${name} at ${api.host}. Remove it from options.projects.`
      : `${api.host} did not list the project ${name}, although it exists.`,
  )
}

/** Undefined if the daemon knows no such instance. */
export async function findInstance(
  api: Api,
  project: string,
  name: string,
): Promise<Instance | UnreadInstance | undefined> {
  const path = `/instances/${encodeURIComponent(name)}`
  const json = await api.find(path, { project }, 'read an instance')
  return json && readInstance(json, project)
}

/** All instances of a project, also those of cluster members that do not answer. */
async function listProject({ api, daemon }: Connection, project: string) {
  const listed = await api.list('/instances', { project, recursion: '1' }, 'list the instances')
  const found = listed.map((json) => readInstance(json, project))
  if (!daemon.isClustered) return found
  // Members list their own instances, so one that moves between them can be in none of the lists.
  const names = new Set(found.map(({ name }) => name))
  const urls = await api.listTexts('/instances', { project }, 'list the names of instances')
  for (const url of urls) {
    const { pathname } = new URL(url, 'http://daemon')
    const name = decodeURIComponent(pathname.split('/').at(-1) ?? '')
    if (names.has(name)) continue
    const instance = await findInstance(api, project, name)
    if (instance) found.push(instance)
  }
  return found
}

export interface ListedInstances {
  readonly instances: readonly Instance[]
  readonly unreadable: readonly UnreadableServer[]
}

const isRead = (found: Instance | UnreadInstance): found is Instance => 'config' in found

/** Lists all instances and records their UUIDs. It throws unless all are identified. */
export async function listInstances(
  connection: Connection,
  projects: readonly Project[],
): Promise<ListedInstances> {
  const { api, memory } = connection
  const { index } = memory
  const record = index.startList()
  const instances: Instance[] = []
  const unread: UnreadInstance[] = []
  const uuids = new Map<string, string>()
  for (const { name: project } of projects) {
    for (const listed of await listProject(connection, project)) {
      const known = index.uuidOf(pathOf(listed))
      const found = isRead(listed) || known !== undefined ? listed : await identify(api, listed)
      if (!found) continue
      if (isRead(found)) instances.push(found)
      else unread.push(found)
      uuids.set(pathOf(found), isRead(found) ? found.uuid : (known ?? ''))
    }
  }
  record(uuids)
  memory.projects = new Set([...instances, ...unread].map(({ project }) => project))
  const unreadable = unread.map((instance) => ({
    key: index.keyOf(pathOf(instance)),
    name: instance.name,
    reason: `The cluster member ${instance.location} does not answer.`,
  }))
  return { instances, unreadable }
}

/** Reads an instance that the list has without its UUID. Without the UUID it would count as missing. */
async function identify(api: Api, unread: UnreadInstance): Promise<Instance | undefined> {
  const { project, name, location } = unread
  const cannot = (cause?: unknown) =>
    new SourceError(
      'incomplete',
      `The cluster member ${location} does not answer, and Muster has not seen its instance ${name} since it started. Scans succeed again when the member is online.`,
      { cause },
    )
  let found: Instance | UnreadInstance | undefined
  try {
    found = await findInstance(api, project, name)
  } catch (error) {
    throw error instanceof SourceError && error.kind === 'failed' ? cannot(error) : error
  }
  if (found && !isRead(found)) throw cannot()
  return found
}
