import { SourceError } from '../../domain/sources/source-error.ts'
import type { FailedPart, UnreadableServer } from '../../domain/sources/source.ts'
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
/** Instances in a response. The daemon has no pages, but it can filter by name. */
const inResponse = 1_000
/** Characters of names in an address: proxies limit it to 8 kB. */
const longestFilter = 6_000

type Found = Instance | UnreadInstance

/** Undefined if the list is too large for one response. */
async function listAtOnce(
  api: Api,
  project: string,
  filter: { readonly filter?: string } = {},
): Promise<Found[] | undefined> {
  try {
    const query = { project, recursion: '1', ...filter }
    const listed = await api.list('/instances', query, 'list the instances')
    return listed.map((json) => readInstance(json, project))
  } catch (error) {
    if (error instanceof ResponseTooLarge) return undefined
    throw error
  }
}

/** Names that mean themselves in a regular expression, as all names of instances do. */
const plainName = /^[\w-]+$/

/** A regular expression of these names, which are sorted. */
function matchNames(names: readonly string[]): string {
  const [first = '', last = ''] = [names[0], names.at(-1)]
  let length = 0
  while (length < first.length && first[length] === last[length]) length += 1
  return `^${first.slice(0, length)}(${names.map((name) => name.slice(length)).join('|')})$`
}

/** As many of the next names as one response can have. */
function takeNames(names: readonly string[], at: number, most: number): readonly string[] {
  let length = 0
  let end = at
  while (end < names.length && end - at < most && length < longestFilter) {
    length += (names[end]?.length ?? 0) + 1
    end += 1
  }
  return names.slice(at, end)
}

/** Lists instances by name, as many as possible in a response. Some may be gone, or too large to be listed. */
async function listByNames(api: Api, project: string, names: readonly string[]): Promise<Found[]> {
  const sorted = names.filter((name) => plainName.test(name)).toSorted()
  const found: Found[] = []
  let most = inResponse
  for (let at = 0; at < sorted.length;) {
    const some = takeNames(sorted, at, most)
    const listed = await listAtOnce(api, project, { filter: `name eq ${matchNames(some)}` })
    if (!listed && some.length > 1) {
      most = Math.ceil(some.length / 4)
      continue
    }
    const wanted = new Set(some)
    found.push(...(listed ?? []).filter(({ name }) => wanted.has(name)))
    at += some.length
    most = Math.min(inResponse, 2 * most)
  }
  return found
}

/** All instances of a project, also those of cluster members that do not respond. */
async function listProject(
  { api, daemon }: Connection,
  project: string,
): Promise<readonly Found[]> {
  const listed = await listAtOnce(api, project)
  if (listed && !daemon.isClustered) return listed
  // Members list their own instances, so one that moves between them can be in none of the lists.
  const urls = await api.listTexts('/instances', { project }, 'list the names of instances')
  const all = urls.map(instanceNameIn)
  if (all.includes('')) {
    throw new SourceError('invalid-response', `${api.host} lists an instance without a name.`)
  }
  const found = listed ?? (daemon.canFilter ? await listByNames(api, project, all) : [])
  const names = new Set(found.map(({ name }) => name))
  const others = all.filter((name) => !names.has(name))
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
  /**
   * Projects with an instance whose UUID is not known, so that it cannot be distinguished from a missing one.
   */
  readonly failed: readonly FailedPart[]
}

const isRead = (found: Found): found is Instance => 'config' in found

/** Lists all instances and records their UUIDs. */
export async function listInstances(
  connection: Connection,
  projects: readonly Project[],
): Promise<ListedInstances> {
  const { api, memory } = connection
  const { index } = memory
  const instances: Instance[] = []
  const unread: UnreadInstance[] = []
  const failed: FailedPart[] = []
  await index.recordList(async () => {
    const uuids = new Map<string, string>()
    for (const { name: project } of projects) {
      for (const listed of await listProject(connection, project)) {
        const known = index.uuidOf(pathOf(listed))
        const found = isRead(listed) || known !== undefined ? listed : await identify(api, listed)
        if (found instanceof SourceError) failed.push({ region: '', tenant: project, error: found })
        if (!found || found instanceof SourceError) continue
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
  return { instances, unreadable, failed }
}

/** Reads an instance that the list has without its UUID. Without the UUID it would count as missing. */
async function identify(
  api: Api,
  { project, name, location, problem }: UnreadInstance,
): Promise<Instance | SourceError | undefined> {
  const cannot = (cause?: unknown) =>
    new SourceError(
      'incomplete',
      problem === undefined
        ? `The cluster member ${location} does not respond, and Muster has not seen its instance ${name} since it started. Its project is read again when the member is online.`
        : `Muster cannot read the instance ${name}, and has not seen it since it started: ${problem}`,
      { cause },
    )
  if (problem !== undefined) return cannot()
  try {
    const found = await findInstance(api, project, name)
    return found && !isRead(found) ? cannot() : found
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'failed') return cannot(error)
    throw error
  }
}
