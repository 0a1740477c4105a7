import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import { booleanOf, objectOf, parseJson, requireList, textOf, type Json } from '../shared/json.ts'
import { namingCall } from '../shared/naming-call.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'
import { unlessAborted } from '../shared/unless-aborted.ts'
import { readCatalog, type Catalog } from './catalog.ts'
import type { OpenStackSettings } from './openstack-settings.ts'
import { retainKeys } from './retain-keys.ts'

export interface Token {
  readonly value: string
  readonly projectId: string
  readonly projectName: string
  readonly catalog: Catalog
  /** In milliseconds of Muster's clock. */
  readonly renewAt: number
}

/** How to get a token of one project. */
export interface TokenScope {
  /** Identifies the scope within the account. */
  readonly key: string
  /** The part `scope` of the request; undefined for an application credential. */
  readonly request: Json | string | undefined
}

interface Login {
  readonly issued: Promise<Token>
  /** Undefined while Keystone has not responded. */
  token?: Token
}

/** A token is renewed after this share of its life, so that none expires during a request. */
const usedLife = 0.8

const unscoped: TokenScope = { key: '', request: 'unscoped' }

/** Authenticates at Keystone, and caches one token per project. */
export function createKeystone(http: HttpClient, settings: OpenStackSettings, clock: () => number) {
  const { authUrl, identity } = settings
  const { host } = new URL(authUrl)
  const logins = new Map<string, Login>()
  /** A login is shared, so that no single caller can abort it. Each request has a time limit. */
  const { signal: never } = new AbortController()

  function readToken(response: HttpResponse, scope: TokenScope): Token {
    const token = objectOf(parseJson(response.body, host, 'authenticate'), 'token')
    const value = response.headers['x-subject-token']
    if (typeof value !== 'string' || value === '') {
      throw new SourceError(
        'invalid-response',
        `${host} sent no token. Is this Keystone's address?`,
      )
    }
    const project = objectOf(token, 'project')
    const projectId = textOf(project, 'id')
    if (projectId === '' && scope !== unscoped) {
      throw new SourceError('invalid-response', `${host} sent a token without a project.`)
    }
    // Only the difference is used: the clocks of Keystone and Muster may differ.
    const life = Date.parse(textOf(token, 'expires_at')) - Date.parse(textOf(token, 'issued_at'))
    return {
      value,
      projectId,
      projectName: textOf(project, 'name'),
      catalog: readCatalog(token, settings.interface),
      renewAt: clock() + (Number.isFinite(life) ? life * usedLife : 0),
    }
  }

  async function authenticate(scope: TokenScope): Promise<Token> {
    const { request } = scope
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
          never,
        )
        if (result.status !== 201) throw statusError(result, { host, action: 'authenticate' })
        return result
      },
      host,
      never,
    )
    return readToken(response, scope)
  }

  function logIn(scope: TokenScope): Login {
    const login: Login = { issued: namingCall('identity: log in', () => authenticate(scope)) }
    logins.set(scope.key, login)
    login.issued.then(
      (token) => (login.token = token),
      () => {
        if (logins.get(scope.key) === login) logins.delete(scope.key)
      },
    )
    return login
  }

  async function getToken(scope: TokenScope, signal: AbortSignal): Promise<Token> {
    const last = logins.get(scope.key)
    const isExpired = last?.token !== undefined && last.token.renewAt <= clock()
    const { issued } = last && !isExpired ? last : logIn(scope)
    return await unlessAborted(issued, host, signal)
  }

  /** The next request gets another token: this one was revoked, or expired early. */
  function forgetToken(scope: TokenScope, token: Token): void {
    if (logins.get(scope.key)?.token === token) logins.delete(scope.key)
  }

  /** Sends a request with a token. If the token was revoked, or expired early, once more with another one. */
  async function sendWithToken(
    scope: TokenScope,
    signal: AbortSignal,
    send: (token: Token) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const token = await getToken(scope, signal)
    const response = await send(token)
    if (response.status !== 401) return response
    forgetToken(scope, token)
    return await send(await getToken(scope, signal))
  }

  /** Lists projects at a path of Keystone. */
  async function listProjects(
    scope: TokenScope,
    path: string,
    signal: AbortSignal,
  ): Promise<readonly Json[]> {
    const attempt = async () => {
      const response = await sendWithToken(scope, signal, ({ value }) =>
        http.send(
          { url: new URL(`${authUrl}${path}`), headers: { 'x-auth-token': value } },
          signal,
        ),
      )
      if (response.status !== 200) throw statusError(response, { host, action: 'list projects' })
      return requireList(
        parseJson(response.body, host, 'list projects'),
        'projects',
        `projects at ${host}`,
      )
    }
    return await namingCall('identity: list projects', () => withRetries(attempt, host, signal))
  }

  /** All projects in which the user has a role. */
  async function findProjects(signal: AbortSignal): Promise<readonly TokenScope[]> {
    const projects = await listProjects(unscoped, '/auth/projects', signal)
    const enabled = projects.filter((project) => booleanOf(project, 'enabled'))
    if (enabled.length === 0) {
      throw new SourceError('forbidden', `The user has no role in any project at ${host}.`)
    }
    const ids = enabled.map((project) => textOf(project, 'id')).sort()
    retainKeys(logins, [unscoped.key, ...ids])
    return ids.map((id) => ({ key: id, request: { project: { id } } }))
  }

  return {
    getToken,
    forgetToken,
    sendWithToken,
    /** The scopes to read, one for each project. */
    async findScopes(signal: AbortSignal): Promise<readonly TokenScope[]> {
      const { hasFixedProject, project } = settings
      if (!hasFixedProject && !project) return await findProjects(signal)
      return [{ key: 'own', request: project && { project } }]
    },
    /** All projects of the cloud; denied to most users. */
    listAllProjects: (scope: TokenScope, signal: AbortSignal) =>
      listProjects(scope, '/projects', signal),
  }
}
export type Keystone = ReturnType<typeof createKeystone>
