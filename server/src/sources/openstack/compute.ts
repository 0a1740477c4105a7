import { SourceError } from '../../domain/sources/source-error.ts'
import { objectOf, textOf, type Json } from '../shared/json.ts'
import { paginate } from '../shared/paginate.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { createPageShrinker } from '../shared/shrink-pages.ts'
import { rowsOf, withMarker, type ServiceClient, type ServiceResponse } from './service-client.ts'

/** The newest microversion that is tested. Newer ones may change fields. */
const testedMinor = 93
/** The last microversion that fails for a server of a cell that is down. */
const lastToFail = 68
/** Servers per page: a page of Nova takes about a second. */
const pageSize = 250
/** A deleted marker is replaced by one of this many servers before it. */
const markersTried = 50

/** Nova in one region, as one project sees it. */
export interface Compute {
  readonly client: ServiceClient
  /** Such as `2.93`. */
  readonly microversion: string
  /** Whether the token sees the servers of all projects. */
  readonly seesAllProjects: boolean
}

/** The number after `2.` of a microversion. */
export const minorOf = (version: string) => Number(/^2\.(\d+)$/.exec(version)?.[1] ?? Number.NaN)

/** Before 2.47, servers name their flavor by id only. */
export const embedsFlavor = ({ microversion }: Compute): boolean => minorOf(microversion) >= 47

/** The newest microversion that Nova and Muster know. */
async function negotiate(client: ServiceClient, signal: AbortSignal): Promise<string> {
  const request = { service: 'compute', path: '/', action: 'read the version of Nova' } as const
  const { json } = await client.send(request, signal)
  const newest = minorOf(textOf(objectOf(json, 'version'), 'version'))
  // Nova from before microversions, and version 2.1 itself, name none.
  return `2.${Number.isNaN(newest) ? 1 : Math.min(newest, testedMinor)}`
}

export async function openCompute(client: ServiceClient, signal: AbortSignal): Promise<Compute> {
  const compute = { client, microversion: await negotiate(client, signal), seesAllProjects: true }
  const request = { ...listRequest(compute, 'limit=1'), expected: 403 }
  const response = await client.send(request, signal)
  if (response.status === 403) return { ...compute, seesAllProjects: false }
  rowsOf(response, 'servers')
  return compute
}

const listRequest = ({ seesAllProjects, microversion }: Compute, query: string) =>
  ({
    service: 'compute',
    path: `/servers/detail?${query}${seesAllProjects ? '&all_tenants=1' : ''}`,
    action: 'list servers',
    microversion,
  }) as const

/**
 * Yields all servers. The list ends with an empty page rather than with a missing link, so that a
 * response without its links is not taken for the last one.
 */
export async function* listServers(compute: Compute, signal: AbortSignal): AsyncGenerator<Json[]> {
  const readShrinking = createPageShrinker({ largest: pageSize, smallest: 1 })
  let lastIds: readonly string[] = []
  yield* paginate<Json>({
    what: `servers in region ${compute.client.region}`,
    async call(marker) {
      const items = await readShrinking(async (limit) => {
        try {
          return rowsOf(await readAfter(marker, limit), 'servers')
        } catch (error) {
          const server = limit === 1 && error instanceof ResponseTooLarge && startOf(error)
          if (!server) throw error
          return [server]
        }
      })
      lastIds = items.map((server) => textOf(server, 'id'))
      return { items, next: lastIds.at(-1) }
    },
    idOf: (server) => textOf(server, 'id'),
  })

  /** Nova rejects the id of a server that was deleted since. The one before it will do. */
  async function readAfter(marker: string | undefined, limit: number): Promise<ServiceResponse> {
    const request = listRequest(compute, `limit=${limit}`)
    if (marker === undefined) return await compute.client.send(request, signal)
    let host = ''
    for (const each of lastIds.toReversed().slice(0, markersTried)) {
      const page = { ...request, path: withMarker(request.path, each), expected: 400 }
      const response = await compute.client.send(page, signal)
      if (response.status === 200) return response
      host = response.host
    }
    throw new SourceError(
      'incomplete',
      `${host} does not accept the markers of its own list of servers.`,
    )
  }
}

/** The server at the start of a response that is too large to read, as one that is unreadable. */
function startOf({ start, message }: ResponseTooLarge): Json | undefined {
  const fieldOf = (name: string) =>
    new RegExp(String.raw`"${name}": ?"([\w-]{1,64})"`).exec(start)?.[1]
  const [id, tenant_id] = [fieldOf('id'), fieldOf('tenant_id')]
  return id !== undefined && tenant_id !== undefined
    ? { id, tenant_id, problem: message }
    : undefined
}

export interface ChangedServers {
  readonly servers: readonly Json[]
  /** Nova's clock; undefined if the response does not tell. Some web servers send no date. */
  readonly novaTime: number | undefined
}

const timeOf = ({ headers }: ServiceResponse): number | undefined => {
  const time = Date.parse(headers.date ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** Lists servers that changed at a time or later, deleted ones included. */
export async function listChanges(
  compute: Compute,
  since: number,
  signal: AbortSignal,
): Promise<ChangedServers> {
  const time = `${new Date(since).toISOString().slice(0, 19)}Z`
  const query = `limit=${pageSize}&changes-since=${encodeURIComponent(time)}`
  const listed = await compute.client.list(listRequest(compute, query), 'servers', signal)
  // The time of the first page: later ones do not show what changes meanwhile.
  return { servers: listed.rows, novaTime: timeOf(listed.first) }
}

/** Reads the server that changed last, if there is any. */
export async function findLastChanged(
  compute: Compute,
  signal: AbortSignal,
): Promise<ChangedServers> {
  const request = listRequest(compute, 'limit=1&sort_key=updated_at&sort_dir=desc')
  const response = await compute.client.send(request, signal)
  return { servers: rowsOf(response, 'servers'), novaTime: timeOf(response) }
}

/** Reads one server; undefined if Nova says that it does not exist. */
export async function findServer(
  { client, microversion }: Compute,
  id: string,
  signal: AbortSignal,
): Promise<Json | undefined> {
  const path = `/servers/${encodeURIComponent(id)}`
  const request = { service: 'compute', path, action: 'read a server', expected: 404 } as const
  const isFound = ({ status, json, host }: ServiceResponse) => {
    if (status === 200) return true
    if ('itemNotFound' in json) return false
    throw new SourceError('invalid-response', `${host} sent a 404 that is not about a server.`)
  }
  let response = await client.send({ ...request, microversion }, signal)
  // Later versions know a server of a cell that is down by its request specification, and deny that it
  // exists if there is none. Earlier ones fail.
  if (!isFound(response) && minorOf(microversion) > lastToFail) {
    response = await client.send({ ...request, microversion: `2.${lastToFail}` }, signal)
  }
  if (!isFound(response)) return undefined
  const server = objectOf(response.json, 'server')
  if (textOf(server, 'id') === id) return server
  throw new SourceError('invalid-response', `${response.host} did not return the server ${id}.`)
}
