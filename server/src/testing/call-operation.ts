import type { ErrorBody, Operation } from '@muster/contract'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
  tokenIdentity,
} from './client.ts'
import { adminPassword } from './start-platform.ts'

export interface CallOptions {
  readonly method?: string
  /** With existing resources for its parameters. */
  readonly path?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Includes the question mark. */
  readonly query?: string
  readonly body?: unknown
}

/** Another token of the same user and scope: cheap, since no password is hashed for it. */
export const renewToken = async (url: string, token: string): Promise<string> =>
  secretOf(await requestToken(url, { identity: tokenIdentity(token), scope: systemProject }))

const login = (token: string | undefined) => ({
  auth: {
    identity:
      token === undefined ? passwordIdentity('sysadmin', adminPassword) : tokenIdentity(token),
    scope: systemProject,
  },
})

/** A path that the operation's route matches. */
export const pathOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, 'none')

/** Calls an operation with a valid request, except for the given options. */
export function callOperation<Body = ErrorBody>(
  url: string,
  operation: Operation,
  options: CallOptions = {},
) {
  const { method = operation.method, path = pathOf(operation), token, query = '' } = options
  const asksForSubject = operation.headers?.properties['x-subject-token'] !== undefined
  const ownBody = operation.id === 'issueToken' ? login(token) : operation.example
  const body = options.body ?? ownBody
  return ask<Body>(url, path + query, {
    method,
    ...(token !== undefined && { token }),
    headers: { ...(asksForSubject && { 'x-subject-token': token ?? 'none' }), ...options.headers },
    ...(body !== undefined && { body }),
  })
}
