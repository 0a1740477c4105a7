import { SourceError } from '../../domain/sources/source-error.ts'
import type { UnreadableServer } from '../../domain/sources/source.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { objectOf, textOf } from '../shared/json.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import type { Api } from './api.ts'
import type { Connection } from './connection.ts'
import { pathOf, readInstance, type Instance, type UnreadInstance } from './instance.ts'
import type { Project } from './lookups.ts'
import { encodeName, instanceNameIn, isName } from './names.ts'

/** The projects that the certificate may see, in the order of their names. */
export async function listProjects({ api, projects }: Connection): Promise<Project[]> {
  const listed = await api.list('/projects', { recursion: '1' }, 'list the projects')
  const visible = listed
    .map((project) => ({ name: textOf(project, 'name'), config: objectOf(project, 'config') }))
    .filter(({ name }) => projects.length === 0 || projects.includes(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  if (!visible.every(({ name }) => isName(name))) {
    throw new SourceError('invalid-response', `${api.host} lists a project without a name.`)
  }
  const missing = projects.find((wanted) => visible.every(({ name }) => name !== wanted))
  if (missing !== undefined) throw notListed(api, missing)
  if (visible.length > 0) return visible
  throw new SourceError('forbidden', `The certificate may not see any project at ${api.host}.`)
}

/** A project that is not listed may only be hidden. Then its instances still exist. */
export const notListed = ({ host }: Api, project: string): SourceError =>
  new SourceError(
    'forbidden',
    `${host} does not list the project ${project}. Allow the certificate to see it. If it does not exist, remove it from options.projects.`,
  )

/** Undefined if the daemon knows no such instance. */
export async function findInstance(
  api: Api,
  project: string,
  name: string,
): Promise<Instance | UnreadInstance | undefined> {
  const path = `/instances/${encodeName(name)}`
  const json = await api.find(path, { project }, 'read an instance')
  return json && readInstance(json, project)
}

const maxAtOnce = 4

/** Undefined if the list is too large for one response. The daemon has no pages. */
async function listAtOnce(api: Api, project: string) {
  try {
    const query = { project, recursion: '1' }
    const listed = await api.list('/instances', query, 'list the instances')
    return listed.map((json) => readInstance(json, project))
  } catch (error) {
    if (error instanceof ResponseTooLarge) return undefined
    throw error
  }
}

/** All instances of a project, also those of cluster members that do not respond. */
async function listProject({ api, daemon }: Connection, project: string) {
  const listed = await listAtOnce(api, project)
  if (listed && !daemon.isClustered) return listed
  const found = listed ?? []
  // Members list their own instances, so one that moves between them can be in none of the lists.
  const names = new Set(found.map(({ name }) => name))
  const urls = await api.listTexts('/instances', { project }, 'list the names of instances')
  const others = urls.map(instanceNameIn).filter((name) => !names.has(name))
  if (others.includes('')) {
    throw new SourceError('invalid-response', `${api.host} lists an instance without a name.`)
  }
  await forEachLimited(others, maxAtOnce, async (name) => {
    try {
      const instance = await findInstance(api, project, name)
      if (instance) found.push(instance)
    } catch (error) {
      if (!(error instanceof ResponseTooLarge)) throw error
      found.push({ project, name, location: '', problem: error.message })
    }
  })
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
  const instances: Instance[] = []
  const unread: UnreadInstance[] = []
  await index.recordList(async () => {
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
    return uuids
  })
  const unreadable = unread.map((instance) => ({
    key: index.keyOf(pathOf(instance)),
    name: instance.name,
    reason: instance.problem ?? `The cluster member ${instance.location} does not respond.`,
  }))
  return { instances, unreadable }
}

/** Reads an instance that the list has without its UUID. Without the UUID it would count as missing. */
async function identify(api: Api, unread: UnreadInstance): Promise<Instance | undefined> {
  const { project, name, location } = unread
  const cannot = (cause?: unknown) =>
    new SourceError(
      'incomplete',
      `The cluster member ${location} does not respond, and Muster has not seen its instance ${name} since it started. Scans succeed again when the member is online.`,
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
