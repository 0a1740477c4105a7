import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import { listOf, parseJson, textOf, type Json } from '../shared/json.ts'
import { paginate } from '../shared/paginate.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'
import type { Keystone, Scope, Token } from './keystone.ts'

/** Services by the names that catalogs have for them, and the version that belongs to their paths. */
const services = {
  compute: { types: ['compute'], version: '' },
  network: { types: ['network'], version: '/v2.0' },
  volume: { types: ['volumev3', 'block-storage', 'volume'], version: '' },
  image: { types: ['image'], version: '/v2' },
} as const
export type ServiceName = keyof typeof services

interface ServiceRequest {
  readonly service: ServiceName
  /** Below the endpoint, with the query. */
  readonly path: string
  /** Such as `list servers`. */
  readonly action: string
  /** The microversion of Nova's API. */
  readonly microversion?: string
  /** Responses with this status are returned instead of thrown. */
  readonly expected?: number
}

/** The services of one region, as one project sees them. */
export interface ServiceClient {
  readonly region: string
  /** Names Nova in errors. */
  readonly name: string
  has(service: ServiceName, signal: AbortSignal): Promise<boolean>
  send(request: ServiceRequest, signal: AbortSignal): Promise<HttpResponse>
  get(request: ServiceRequest, signal: AbortSignal): Promise<Json>
  /** All rows of a list, by its name in the response. */
  list(request: ServiceRequest, name: string, signal: AbortSignal): Promise<Json[]>
}

interface Connection {
  readonly http: HttpClient
  readonly keystone: Keystone
  /** Such as `public`. */
  readonly interface: string
}

const isOfType = (entry: Json, types: readonly string[]) => types.includes(textOf(entry, 'type'))

/** All regions of a catalog that have the compute service. */
export const regionsOf = ({ catalog }: Token, access: string): string[] =>
  [
    ...new Set(
      catalog
        .filter((entry) => isOfType(entry, services.compute.types))
        .flatMap((entry) => listOf(entry, 'endpoints'))
        .filter((endpoint) => textOf(endpoint, 'interface') === access)
        .map((endpoint) => textOf(endpoint, 'region_id') || textOf(endpoint, 'region')),
    ),
  ].sort()

/** The id of the compute service: the same for all projects and addresses of a cloud. */
export const cloudOf = ({ catalog }: Token, region: string): string =>
  textOf(
    catalog
      .filter((entry) => isOfType(entry, services.compute.types))
      .find((entry) =>
        listOf(entry, 'endpoints').some((endpoint) => textOf(endpoint, 'region_id') === region),
      ),
    'id',
  )

function endpointOf(token: Token, service: ServiceName, region: string, access: string) {
  const { types, version } = services[service]
  // The first name wins: a catalog may list an older version of a service as well.
  for (const type of types) {
    const url = token.catalog
      .filter((entry) => isOfType(entry, [type]))
      .flatMap((entry) => listOf(entry, 'endpoints'))
      .filter((endpoint) => textOf(endpoint, 'interface') === access)
      .filter((each) => [textOf(each, 'region_id'), textOf(each, 'region')].includes(region))
      .map((endpoint) => textOf(endpoint, 'url').replace(/\/+$/, ''))[0]
    if (url === undefined) continue
    const isComplete = version === '' || url.endsWith(version)
    return isComplete ? url : `${url}${version}`
  }
}

export function createServiceClient(
  { http, keystone, interface: access }: Connection,
  scope: Scope,
  region: string,
): ServiceClient {
  function urlOf(current: Token, { service, path }: ServiceRequest): URL {
    const endpoint = endpointOf(current, service, region, access)
    if (endpoint === undefined || !URL.canParse(endpoint)) {
      throw new SourceError(
        'incomplete',
        `The catalog has no ${access} endpoint of the ${service} service in region ${region}.`,
      )
    }
    return new URL(`${endpoint}${path}`)
  }

  async function sendOnce(request: ServiceRequest, stop: AbortSignal) {
    const current = await keystone.getToken(scope, stop)
    const url = urlOf(current, request)
    const headers = {
      accept: 'application/json',
      'x-auth-token': current.value,
      ...(request.microversion !== undefined && {
        'openstack-api-version': `compute ${request.microversion}`,
        'x-openstack-nova-api-version': request.microversion,
      }),
    }
    try {
      return { current, url, response: await http.send({ url, headers }, stop) }
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'not-allowed') throw error
      throw new SourceError(
        'not-allowed',
        `The catalog names ${url.host} for the ${request.service} service in region ${region}. ${error.message}`,
      )
    }
  }

  async function send(request: ServiceRequest, stop: AbortSignal): Promise<HttpResponse> {
    const { host } = urlOf(await keystone.getToken(scope, stop), request)
    return await withRetries(
      async () => {
        let sent = await sendOnce(request, stop)
        if (sent.response.status === 401) {
          // The token was revoked, or it expired early. One more attempt with a new one.
          keystone.discard(sent.current)
          sent = await sendOnce(request, stop)
        }
        const { status } = sent.response
        if (status === 200 || status === request.expected) return sent.response
        throw statusError(sent.response, { host: sent.url.host, action: request.action })
      },
      host,
      stop,
    )
  }

  async function get(request: ServiceRequest, stop: AbortSignal): Promise<Json> {
    const { body } = await send(request, stop)
    return parseJson(body, `The ${request.service} service in region ${region}`)
  }

  return {
    region,
    name: `Nova in region ${region}`,
    async has(service, stop) {
      const token = await keystone.getToken(scope, stop)
      return endpointOf(token, service, region, access) !== undefined
    },
    send,
    get,
    async list(request, name, stop) {
      const pages = paginate<Json>({
        what: `${name.replaceAll('_', ' ')} in region ${region}`,
        async call(marker) {
          const path = withMarker(request.path, marker)
          const json = await get({ ...request, path }, stop)
          const rows = json[name]
          const items = Array.isArray(rows) ? (rows as Json[]) : undefined
          return { items, next: hasNext(json, name) ? textOf(items?.at(-1), 'id') : undefined }
        },
        idOf: (row) => textOf(row, 'id'),
      })
      return (await Array.fromAsync(pages)).flat()
    },
  }
}

/** Adds the id of the last row of a page, after which the next page starts. */
export const withMarker = (path: string, marker: string | undefined): string =>
  marker === undefined
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}marker=${encodeURIComponent(marker)}`

/** Glance has `next`, all others a list of links. */
export const hasNext = (json: Json, name: string): boolean =>
  textOf(json, 'next') !== '' ||
  listOf(json, `${name}_links`).some((link) => textOf(link, 'rel') === 'next')
