import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import { listOf, parseJson, requireList, textOf, type Json } from '../shared/json.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { LostResponse } from '../shared/lost-response.ts'
import { namingCall } from '../shared/naming-call.ts'
import { collectPages } from '../shared/paginate.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'
import { noUsableAnswer } from '../shared/to-action-error.ts'
import { endpointOf, type ServiceName } from './catalog.ts'
import type { Keystone, TokenScope, Token } from './keystone.ts'
import { pickUsed, type ListName } from './used-fields.ts'

export interface ServiceRequest {
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

/** A request that changes something. */
export interface ServiceChange extends ServiceRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly body?: Json
}

export interface ServiceResponse extends Pick<HttpResponse, 'status' | 'headers'> {
  /** The sender, for errors. */
  readonly host: string
  readonly json: Json
  readonly bytes: number
}

/** The services of one region, as one project sees them. */
export interface ServiceClient {
  readonly region: string
  has(service: ServiceName, signal: AbortSignal): Promise<boolean>
  send(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse>
  /**
   * Sends a request that changes something, without retries, and returns a response of any status. Throws
   * an `ActionError` if there is no response, and a `SourceError` if nothing was sent. For sessions that send once.
   */
  change(request: ServiceChange, signal: AbortSignal): Promise<HttpResponse>
  /** All rows of a list, by its name in the response, and the first response. */
  list(
    request: ServiceRequest,
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly Json[]; readonly first: ServiceResponse }>
  /** The used fields of the rows of a list, as far as the budget allows; with an error if it was cut. */
  listUsed(
    request: ServiceRequest,
    name: ListName,
    budget: ListBudget,
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly Json[]; readonly error: SourceError | undefined }>
}

interface Connection {
  readonly http: HttpClient
  readonly keystone: Pick<Keystone, 'getToken' | 'forgetToken' | 'sendWithToken'>
}

export function createServiceClient(
  { http, keystone }: Connection,
  scope: TokenScope,
  region: string,
): ServiceClient {
  function urlOf({ catalog }: Token, { service, path }: ServiceRequest): URL {
    const endpoint = endpointOf(catalog, service, region)
    if (endpoint !== undefined && URL.canParse(endpoint)) return new URL(`${endpoint}${path}`)
    throw new SourceError(
      'incomplete',
      `The catalog has no endpoint of the ${service} service in region ${region}.`,
    )
  }

  async function sendTo(
    url: URL,
    token: Token,
    request: ServiceRequest | ServiceChange,
    signal: AbortSignal,
  ) {
    const { microversion, service } = request
    const { method, body }: Partial<ServiceChange> = request
    const headers = {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      'x-auth-token': token.value,
      ...(microversion !== undefined && {
        'openstack-api-version': `compute ${microversion}`,
        'x-openstack-nova-api-version': microversion,
      }),
    }
    try {
      const text = body ? JSON.stringify(body) : ''
      return await http.send({ url, headers, body: text, ...(method && { method }) }, signal)
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'not-allowed') throw error
      throw new SourceError(
        'not-allowed',
        `The catalog names ${url.host} for the ${service} service in region ${region}. ${error.message}`,
      )
    }
  }

  async function sendOnce(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse> {
    let host = ''
    const response = await keystone.sendWithToken(scope, signal, (token) => {
      const url = urlOf(token, request)
      host = url.host
      return sendTo(url, token, request, signal)
    })
    const { status, headers, body } = response
    if (status !== 200 && status !== request.expected) {
      throw statusError(response, { host, action: request.action })
    }
    const bytes = body.length
    // A denial may come from a proxy and need not be JSON.
    const json = status === 403 ? {} : parseJson(body, host, request.action)
    return { status, headers, host, json, bytes }
  }

  async function change(request: ServiceChange, signal: AbortSignal): Promise<HttpResponse> {
    const token = await keystone.getToken(scope, signal)
    try {
      const response = await sendTo(urlOf(token, request), token, request, signal)
      // The caller may try again, with another token.
      if (response.status === 401) keystone.forgetToken(scope, token)
      return response
    } catch (error) {
      if (!(error instanceof LostResponse)) throw error
      throw noUsableAnswer('Nova', `the request to ${request.action}`, error)
    }
  }

  async function send(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse> {
    const { host } = urlOf(await keystone.getToken(scope, signal), request)
    const attempt = () => sendOnce(request, signal)
    return await namingCall(`${request.service}: ${request.action}`, () =>
      withRetries(attempt, host, signal),
    )
  }

  const pagingOf = (
    request: ServiceRequest,
    name: string,
    signal: AbortSignal,
    onResponse?: (response: ServiceResponse) => void,
  ) => ({
    what: `${name.replaceAll('_', ' ')} in region ${region}`,
    async call(marker: string | undefined) {
      const response = await send({ ...request, path: withMarker(request.path, marker) }, signal)
      onResponse?.(response)
      const items = rowsOf(response, name)
      const last = items.at(-1)
      const next = last && hasNext(response.json, name) ? idOf(last) : undefined
      return { items, next, bytes: response.bytes }
    },
    idOf,
  })

  return {
    region,
    send,
    change,
    async has(service, signal) {
      const { catalog } = await keystone.getToken(scope, signal)
      return endpointOf(catalog, service, region) !== undefined
    },
    async list(request, name, signal) {
      const budget = new ListBudget()
      let first: ServiceResponse | undefined
      const paging = pagingOf(request, name, signal, (response) => (first ??= response))
      const rows = await collectPages(paging, { budget, pick: (row) => row })
      const [error] = budget.errors()
      if (error) throw error
      return { rows, first: first as unknown as ServiceResponse }
    },
    async listUsed(request, name, budget, signal) {
      const paging = pagingOf(request, name, signal)
      const pick = (row: Json) => pickUsed(name, row, budget)
      const rows = await collectPages(paging, { budget, pick })
      return { rows, error: budget.errorOf(paging.what) }
    },
  }
}

/** The rows of a response, which must have them. */
export const rowsOf = ({ json, host }: ServiceResponse, name: string): readonly Json[] =>
  requireList(json, name, `${name.replaceAll('_', ' ')} at ${host}`)

/** Hypervisors of old versions have numbers. */
const idOf = (row: Json) => (typeof row['id'] === 'number' ? String(row['id']) : textOf(row, 'id'))

/** Adds the id of the last row of a page, after which the next page starts. */
export const withMarker = (path: string, marker: string | undefined): string =>
  marker === undefined
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}marker=${encodeURIComponent(marker)}`

/** Glance has `next`, all others a list of links. */
const hasNext = (json: Json, name: string): boolean =>
  textOf(json, 'next') !== '' ||
  listOf(json, `${name}_links`).some((link) => textOf(link, 'rel') === 'next')
