import type { ErrorBody, Token } from '@muster/contract'
import { assertDocumentedError } from './documented-errors.ts'
import { assertServerContract } from './inventory-world/server-contract.ts'
import { adminPassword } from './start-platform.ts'

interface RequestOptions {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is already text or bytes. */
  readonly body?: unknown
}

export interface ClientResponse<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

/** Sends requests to a running platform, as any client would. */
export async function ask<Body = ErrorBody>(
  url: string,
  path: string,
  { method = 'GET', token, headers = {}, body }: RequestOptions = {},
): Promise<ClientResponse<Body>> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { 'x-auth-token': token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: asPayload(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const answered: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
  if (response.status === 200 && answered !== undefined) assertServerContract(path, answered)
  assertDocumentedError(method, path, answered)
  return { status: response.status, headers: response.headers, text, body: answered as Body }
}

const asPayload = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body)

/** Sends a token request. */
export const requestToken = (url: string, auth: unknown, headers?: Record<string, string>) =>
  ask<{ token: Token } & ErrorBody>(url, '/v3/auth/tokens', {
    method: 'POST',
    body: { auth },
    ...(headers && { headers }),
  })

export const systemProject = { project: { name: 'system', domain: { name: 'Default' } } }

export const passwordIdentity = (name: string, password: string) => ({
  methods: ['password'],
  password: { user: { name, domain: { id: 'default' }, password } },
})

export const tokenIdentity = (id: string) => ({ methods: ['token'], token: { id } })

/** The secret of an issued token; fails the test when there is none. */
export function secretOf(answer: ClientResponse): string {
  const secret = answer.headers.get('x-subject-token')
  if (answer.status !== 201 || secret === null) {
    throw new Error(`expected a token, got ${answer.status}: ${answer.text}`)
  }
  return secret
}

/** Logs in the first administrator, by default in the project `system`. */
export const loginAdmin = async (url: string, scope: unknown = systemProject): Promise<string> =>
  secretOf(
    await requestToken(url, { identity: passwordIdentity('sysadmin', adminPassword), scope }),
  )
