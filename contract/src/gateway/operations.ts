import { Type } from 'typebox'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { loginOptionsExample, sessionEntryExample, sessionExample } from './examples.ts'
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
}

const tag = 'Sessions'
const session = exactObject({ session: SessionDto })
const shown = (description: string) => ({
  description,
  body: session,
  example: { session: sessionExample },
})
const newCookie = { 'Set-Cookie': 'The session, under a new name: the one before is over' }
const noCookie = { 'Set-Cookie': 'Takes the session away' }

/** Where to go on after a login elsewhere. Only pages of the console are gone to. */
const Next = Type.Optional(Type.String({ maxLength: 2048 }))

/** The gateway's own operations. All others under `/api` are those of the public API. */
export const gatewayOperations = [
  {
    id: 'showLoginOptions',
    method: 'GET',
    path: '/api/login',
    access: 'public',
    tag,
    summary: 'Tell how one can log in here',
    responses: {
      200: { description: 'The ways', body: LoginOptions, example: loginOptionsExample },
    },
  },
  {
    id: 'createSession',
    method: 'POST',
    path: '/api/session',
    access: 'public',
    tag,
    summary: 'Log in with a password',
    body: PasswordLogin,
    example: { name: 'ada', domain: 'Research', password: 'correct horse battery' },
    responses: { 201: { ...shown('Logged in'), headers: newCookie } },
  },
  {
    id: 'getSession',
    method: 'GET',
    path: '/api/session',
    access: 'session',
    tag,
    summary: 'Tell who is logged in, where, and what they may do there',
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
    responses: { 200: { ...shown('The session, there'), headers: newCookie } },
  },
  {
    id: 'endSession',
    method: 'DELETE',
    path: '/api/session',
    access: 'session',
    tag,
    summary: 'Log out',
    description: 'Its tokens are revoked.',
    responses: { 204: { description: 'Over', headers: noCookie } },
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
        description: 'Those that are not over, latest first',
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
    responses: { 204: { description: 'Over' } },
  },
  {
    id: 'startCasLogin',
    method: 'GET',
    path: '/api/session/cas/{id}',
    access: 'public',
    tag,
    summary: 'Go to a CAS server to log in',
    query: exactObject({ next: Next }),
    responses: {
      302: { description: 'To the CAS server', headers: { Location: 'Its login page' } },
    },
  },
  {
    id: 'finishCasLogin',
    method: 'GET',
    path: '/api/session/cas',
    access: 'public',
    tag,
    summary: 'Come back from a CAS server with a ticket',
    query: exactObject({ ticket: Type.Optional(Type.String({ maxLength: 255 })) }),
    responses: {
      302: {
        description: 'Into the console, or to its login page where the ticket is no good',
        headers: { Location: 'A page of the console', ...newCookie },
      },
    },
  },
] as const satisfies readonly GatewayOperation[]

export type GatewayOperationId = (typeof gatewayOperations)[number]['id']
