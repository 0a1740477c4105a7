import { Type } from 'typebox'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { loginOptionsExample, sessionEntryExample, sessionExample } from './examples.ts'
import { FirstPassword } from '../administration/users.ts'
import { LoginOptions, PasswordLogin, ScopeChange, SessionEntry, SessionDto } from './session.ts'

/**
 * An operation between a browser and its gateway, with a session cookie instead of a token. The
 * gateway's routes are all `no-store`; rate limits apply to the API calls that it makes.
 */
export interface GatewayOperation extends Omit<
  Operation,
  'access' | 'permission' | 'servedBy' | 'throughGateway' | 'cache' | 'rateLimit'
> {
  readonly access: 'public' | 'session'
  /** Identity providers add parameters of their own to the addresses of this operation. */
  readonly takesAnyQuery?: true
  /** The body is a form (`application/x-www-form-urlencoded`) that the handler reads itself. */
  readonly takesForm?: true
}

const tag = 'Sessions'
const session = exactObject({ session: SessionDto })
const shown = (description: string) => ({
  description,
  body: session,
  example: { session: sessionExample },
})
const newCookie = { 'Set-Cookie': 'The new session cookie. It replaces the previous one.' }
const noCookie = { 'Set-Cookie': 'Deletes the session cookie' }

const toProvider = {
  description: 'Redirect to the identity provider, or to the login page if it does not respond',
  headers: { Location: 'Page of the provider', 'Set-Cookie': 'The attempt, for 10 minutes' },
}
const fromProvider = {
  description: 'Redirect to the console, or to its login page if the login failed',
  headers: { Location: 'Page of the console', ...newCookie },
}

/** Page to open after the login. Only pages of the console are allowed. */
const Next = Type.Optional(Type.String({ maxLength: 2048 }))

/** The gateway's own operations. Other paths under `/api` are forwarded to the API. */
export const gatewayOperations = [
  {
    id: 'showLoginOptions',
    method: 'GET',
    path: '/api/login',
    access: 'public',
    tag,
    summary: 'List login options',
    query: exactObject({
      domain: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description:
            'Name of a domain: only its providers. A domain that does not exist has none.',
        }),
      ),
    }),
    responses: {
      200: { description: 'Login options', body: LoginOptions, example: loginOptionsExample },
    },
  },
  {
    id: 'createSession',
    method: 'POST',
    path: '/api/session',
    access: 'public',
    tag,
    summary: 'Log in with a password',
    description:
      'Without the `passcode` of a user who has a second factor, the right password is a 403 of the class `FactorRequiredError` with `values.reason` `log_in`: ask for the code, and send both. Nothing tells this of a wrong password.',
    body: PasswordLogin,
    example: { name: 'ada', domain: 'Research', password: 'correct horse battery' },
    responses: { 201: { ...shown('Logged in'), headers: newCookie } },
    moreErrors: [401, 429],
  },
  {
    id: 'createFirstSession',
    method: 'POST',
    path: '/api/session/password',
    access: 'public',
    tag,
    summary: 'Set a first password with a link, and log in',
    description: 'See `POST /v3/auth/password`.',
    body: FirstPassword,
    example: {
      secret: 'mpl1_b2hZ0v0n0x3WkQ8c1mYt7uE5rKp9sLd4aFgHjXwVqZo',
      password: 'correct horse battery',
    },
    responses: { 201: { ...shown('Logged in'), headers: newCookie } },
    moreErrors: [401, 409, 429],
  },
  {
    id: 'getSession',
    method: 'GET',
    path: '/api/session',
    access: 'session',
    tag,
    summary: 'Get the current session',
    responses: { 200: shown('The session') },
  },
  {
    id: 'switchScope',
    method: 'PUT',
    path: '/api/session/scope',
    access: 'session',
    tag,
    summary: 'Switch to another project or domain',
    body: ScopeChange,
    example: { scope: { project_id: sessionExample.scope.id } },
    responses: { 200: { ...shown('The session in the new scope'), headers: newCookie } },
  },
  {
    id: 'endSession',
    method: 'DELETE',
    path: '/api/session',
    access: 'session',
    tag,
    summary: 'Log out',
    description: 'Revokes the tokens of the session.',
    responses: {
      200: {
        description: 'Logged out here. The page logs out at the identity provider too.',
        body: exactObject({ logout_page: Type.String() }),
        headers: noCookie,
        example: { logout_page: 'https://id.example.org/logout?client_id=muster' },
      },
      204: { description: 'Logged out', headers: noCookie },
    },
  },
  {
    id: 'listSessions',
    method: 'GET',
    path: '/api/sessions',
    access: 'session',
    tag,
    summary: 'List your sessions',
    responses: {
      200: {
        description: 'Active sessions, most recent first',
        body: exactObject({ sessions: Type.Array(SessionEntry) }),
        example: { sessions: [sessionEntryExample] },
      },
    },
  },
  {
    id: 'endOneSession',
    method: 'DELETE',
    path: '/api/sessions/{id}',
    access: 'session',
    tag,
    summary: 'End one of your sessions',
    responses: { 204: { description: 'Session ended' } },
  },
  {
    id: 'startProviderLogin',
    method: 'GET',
    path: '/api/session/providers/{id}',
    access: 'public',
    tag,
    summary: 'Start a login at an identity provider',
    query: exactObject({ next: Next }),
    responses: { 302: toProvider },
  },
  {
    id: 'startProviderLink',
    method: 'POST',
    path: '/api/session/providers/{id}/link',
    access: 'session',
    tag,
    summary: 'Start to link a login at an identity provider to your user',
    description:
      'Open `login_page`: once you have logged in there, the provider redirects the browser back and the login is linked. A wrong password is a failed login, and a missing `passcode` is answered as by `POST /api/session`. Not for CAS: its answers cannot be told from those of somebody else.',
    body: exactObject({
      password: PasswordLogin.properties.password,
      passcode: PasswordLogin.properties.passcode,
    }),
    example: { password: 'correct horse battery' },
    responses: {
      200: {
        description: 'The page of the provider',
        body: exactObject({ login_page: Type.String() }),
        headers: { 'Set-Cookie': 'The attempt, for 10 minutes' },
        example: { login_page: 'https://id.example.org/auth?client_id=muster' },
      },
    },
    moreErrors: [401, 404, 429, 502],
  },
  {
    id: 'finishProviderLogin',
    method: 'GET',
    path: '/api/session/providers/{id}/callback',
    access: 'public',
    takesAnyQuery: true,
    tag,
    summary: 'Finish a login at an identity provider',
    description: 'The provider redirects the browser here. Register the address there.',
    responses: { 302: fromProvider },
  },
  {
    id: 'endProviderLogins',
    method: 'POST',
    path: '/api/session/providers/{id}/logout',
    access: 'public',
    takesForm: true,
    tag,
    summary: 'End logins at the request of an identity provider',
    description:
      'Back-channel logout of OpenID Connect. The body is a form with a `logout_token`. Revokes the tokens and ends the sessions of the login, or of all logins of the person.',
    responses: { 204: { description: 'Ended' } },
  },
  {
    id: 'startCasLogin',
    method: 'GET',
    path: '/api/session/cas/{id}',
    access: 'public',
    tag,
    summary: 'Start a CAS login',
    description: 'The earlier address of `/api/session/providers/{id}`.',
    query: exactObject({ next: Next }),
    responses: { 302: toProvider },
  },
  {
    id: 'finishCasLogin',
    method: 'GET',
    path: '/api/session/cas',
    access: 'public',
    tag,
    summary: 'Finish a CAS login',
    description:
      'The `service_url` of the only CAS provider. Several need the callback of each provider.',
    query: exactObject({ ticket: Type.Optional(Type.String({ maxLength: 255 })) }),
    responses: { 302: fromProvider },
  },
] as const satisfies readonly GatewayOperation[]

export type GatewayOperationId = (typeof gatewayOperations)[number]['id']
