import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import {
  booleanOf,
  listOf,
  objectOf,
  parseJson,
  requireList,
  textOf,
  type Json,
} from '../shared/json.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'
import type { OpenStackSettings } from './openstack-settings.ts'

interface Project {
  readonly id: string
  readonly name: string
}

export interface Token {
  readonly value: string
  readonly project: Project
  /** The services and their endpoints. */
  readonly catalog: readonly Json[]
}

/** How to get a token of one project. */
export interface Scope {
  /** Identifies the scope within the account. */
  readonly key: string
  /** The part `scope` of the request; undefined for an application credential. */
  readonly request: Json | string | undefined
}

export interface Keystone {
  /** The scopes to read, one for each project. */
  findScopes(signal: AbortSignal): Promise<readonly Scope[]>
  getToken(scope: Scope, signal: AbortSignal): Promise<Token>
  /** Discards a token that a service no longer accepts. */
  discard(token: Token): void
}

interface IssuedToken extends Token {
  /** In milliseconds of Muster's clock. */
  readonly renewAt: number
}

/** A token is renewed after this share of its life, so that none expires during a request. */
const usedLife = 0.8

const unscoped: Scope = { key: '', request: 'unscoped' }
const own: Scope = { key: 'own', request: undefined }

function readToken(response: HttpResponse, host: string, now: number): IssuedToken {
  const token = objectOf(parseJson(response.body, host), 'token')
  const value = response.headers['x-subject-token']
  if (typeof value !== 'string' || value === '') {
    throw new SourceError('invalid-response', `${host} sent no token. Is this Keystone's address?`)
  }
  // Only the difference is used: the clocks of Keystone and Muster may differ.
  const life = Date.parse(textOf(token, 'expires_at')) - Date.parse(textOf(token, 'issued_at'))
  const project = objectOf(token, 'project')
  return {
    value,
    project: { id: textOf(project, 'id'), name: textOf(project, 'name') },
    catalog: listOf(token, 'catalog'),
    renewAt: now + (Number.isFinite(life) ? life * usedLife : 0),
  }
}

/** Authenticates at Keystone, and caches one token per project. */
export function createKeystone(
  http: HttpClient,
  settings: OpenStackSettings,
  clock: () => number,
): Keystone {
  const { authUrl, identity } = settings
  const { host } = new URL(authUrl)
  const tokens = new Map<string, Promise<IssuedToken>>()
  const discarded = new WeakSet<Token>()

  async function authenticate({ request }: Scope, signal: AbortSignal): Promise<IssuedToken> {
    const auth = { identity, ...(request !== undefined && { scope: request }) }
    const response = await withRetries(
      async () => {
        const result = await http.send(
          {
            method: 'POST',
            url: new URL(`${authUrl}/auth/tokens`),
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ auth }),
          },
          signal,
        )
        if (result.status !== 201) throw statusError(result, { host, action: 'authenticate' })
        return result
      },
      host,
      signal,
    )
    return readToken(response, host, clock())
  }

  async function getToken(scope: Scope, signal: AbortSignal): Promise<IssuedToken> {
    const cached = await tokens.get(scope.key)?.catch(() => undefined)
    if (cached && cached.renewAt > clock() && !discarded.has(cached)) return cached
    const pending = authenticate(scope, signal)
    tokens.set(scope.key, pending)
    pending.catch(() => {
      if (tokens.get(scope.key) === pending) tokens.delete(scope.key)
    })
    return await pending
  }

  /** All projects in which the user has a role. */
  async function listProjects(signal: AbortSignal): Promise<readonly Scope[]> {
    const token = await getToken(unscoped, signal)
    const response = await http.send(
      { url: new URL(`${authUrl}/auth/projects`), headers: { 'x-auth-token': token.value } },
      signal,
    )
    if (response.status !== 200) throw statusError(response, { host, action: 'list projects' })
    const projects = requireList(parseJson(response.body, host), 'projects', 'projects')
    const enabled = projects.filter((project) => booleanOf(project, 'enabled'))
    if (enabled.length === 0) {
      throw new SourceError('forbidden', `The user has no role in any project at ${host}.`)
    }
    return enabled
      .map((project) => textOf(project, 'id'))
      .sort()
      .map((id) => ({ key: id, request: { project: { id } } }))
  }

  return {
    async findScopes(signal) {
      if (settings.hasFixedProject) return [own]
      const { project } = settings
      return project ? [{ key: 'own', request: { project } }] : await listProjects(signal)
    },
    getToken,
    discard: (token) => void discarded.add(token),
  }
}
