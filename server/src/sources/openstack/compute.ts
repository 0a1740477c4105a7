import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpResponse } from '../shared/http-client.ts'
import { objectOf, parseJson, requireList, textOf, type Json } from '../shared/json.ts'
import { paginate } from '../shared/paginate.ts'
import { hasNext, withMarker, type ServiceClient } from './service-client.ts'

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

const minorOf = (version: string) => Number(/^2\.(\d+)$/.exec(version)?.[1] ?? Number.NaN)

/** Before 2.47, servers name their flavor by id only. */
export const embedsFlavor = ({ microversion }: Compute): boolean => minorOf(microversion) >= 47

/** The newest microversion that Nova and Muster know. */
async function negotiate(client: ServiceClient, signal: AbortSignal): Promise<string> {
  const request = { service: 'compute', path: '/', action: 'read the version of Nova' } as const
  const version = objectOf(await client.get(request, signal), 'version')
  const newest = minorOf(textOf(version, 'version'))
  // Nova from before microversions, and version 2.1 itself, name none.
  return `2.${Number.isNaN(newest) ? 1 : Math.min(newest, testedMinor)}`
}

/** Whether Nova lets the token list the servers of all projects. */
async function checkAllProjects(
  client: ServiceClient,
  microversion: string,
  signal: AbortSignal,
): Promise<boolean> {
  const path = '/servers/detail?all_tenants=1&limit=1'
  const request = { service: 'compute', path, action: 'list servers', microversion } as const
  const { status, body } = await client.send({ ...request, expected: 403 }, signal)
  if (status === 403) return false
  requireList(parseJson(body, client.name), 'servers', 'servers')
  return true
}

export async function openCompute(client: ServiceClient, signal: AbortSignal): Promise<Compute> {
  const microversion = await negotiate(client, signal)
  const seesAllProjects = await checkAllProjects(client, microversion, signal)
  return { client, microversion, seesAllProjects }
}

const requestOf = ({ microversion }: Compute, path: string, action: string) =>
  ({ service: 'compute', path, action, microversion }) as const

const listPath = ({ seesAllProjects }: Compute, query: string) =>
  `/servers/detail?${query}${seesAllProjects ? '&all_tenants=1' : ''}`

/**
 * Yields all servers. The list ends with an empty page rather than with a missing link, so that a
 * response without its links is not taken for the last one.
 */
export async function* listServers(compute: Compute, signal: AbortSignal): AsyncGenerator<Json[]> {
  const path = listPath(compute, `limit=${pageSize}`)
  const request = requestOf(compute, path, 'list servers')
  let lastIds: readonly string[] = []
  yield* paginate<Json>({
    what: `servers in region ${compute.client.region}`,
    async call(marker) {
      const json = await readAfter(marker)
      const items = requireList(json, 'servers', 'servers')
      lastIds = items.map((server) => textOf(server, 'id'))
      return { items, next: lastIds.at(-1) }
    },
    idOf: (server) => textOf(server, 'id'),
  })

  /** Nova rejects the id of a server that was deleted since. The one before it will do. */
  async function readAfter(marker: string | undefined): Promise<Json> {
    const markers = marker === undefined ? [undefined] : lastIds.toReversed().slice(0, markersTried)
    for (const each of markers) {
      const expected = each === undefined ? {} : { expected: 400 }
      const page = { ...request, path: withMarker(path, each), ...expected }
      const { status, body } = await compute.client.send(page, signal)
      if (status === 200) return parseJson(body, compute.client.name)
    }
    throw new SourceError('incomplete', 'Nova does not accept the markers of its own servers.')
  }
}

export interface ChangedServers {
  readonly servers: readonly Json[]
  /** Nova's clock; undefined if the response does not tell. Some web servers send no date. */
  readonly novaTime: number | undefined
}

const timeOf = ({ headers }: HttpResponse): number | undefined => {
  const time = Date.parse(headers.date ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** Lists servers that changed at a time or later, deleted ones included. */
export async function listChanges(
  compute: Compute,
  since: number,
  signal: AbortSignal,
): Promise<ChangedServers> {
  let novaTime: number | undefined
  const time = new Date(since).toISOString().slice(0, 19)
  const query = `limit=${pageSize}&changes-since=${encodeURIComponent(`${time}Z`)}`
  const request = requestOf(compute, listPath(compute, query), 'list changed servers')
  const pages = paginate<Json>({
    what: `changed servers in region ${compute.client.region}`,
    async call(marker) {
      const path = withMarker(request.path, marker)
      const response = await compute.client.send({ ...request, path }, signal)
      // The first page: later ones do not show what changes meanwhile.
      if (marker === undefined) novaTime = timeOf(response)
      const json = parseJson(response.body, compute.client.name)
      const items = requireList(json, 'servers', 'servers')
      return { items, next: hasNext(json, 'servers') ? textOf(items.at(-1), 'id') : undefined }
    },
    idOf: (server) => textOf(server, 'id'),
  })
  return { servers: (await Array.fromAsync(pages)).flat(), novaTime }
}

/** Reads the server that changed last, if there is any. */
export async function findLastChanged(
  compute: Compute,
  signal: AbortSignal,
): Promise<ChangedServers> {
  const path = listPath(compute, 'limit=1&sort_key=updated_at&sort_dir=desc')
  const response = await compute.client.send(requestOf(compute, path, 'list servers'), signal)
  const json = parseJson(response.body, compute.client.name)
  return { servers: requireList(json, 'servers', 'servers'), novaTime: timeOf(response) }
}

/** Reads one server; undefined if Nova says that it does not exist. */
export async function findServer(
  compute: Compute,
  id: string,
  signal: AbortSignal,
): Promise<Json | undefined> {
  const path = `/servers/${encodeURIComponent(id)}`
  const request = { ...requestOf(compute, path, 'read a server'), expected: 404 }
  const read = async (microversion: string) => {
    const { status, body } = await compute.client.send({ ...request, microversion }, signal)
    const json = parseJson(body, compute.client.name)
    if (status === 200 || 'itemNotFound' in json) return json
    throw new SourceError('invalid-response', 'Nova answers 404, but not about the server.')
  }
  let json = await read(compute.microversion)
  // Later versions know a server of a cell that is down by its request specification, and deny that it
  // exists if there is none. Earlier ones fail.
  if ('itemNotFound' in json && minorOf(compute.microversion) > lastToFail) {
    json = await read(`2.${lastToFail}`)
  }
  if ('itemNotFound' in json) return undefined
  const server = objectOf(json, 'server')
  if (textOf(server, 'id') === id) return server
  throw new SourceError('invalid-response', `Nova did not return the server ${id}.`)
}
