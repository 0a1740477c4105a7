import { Agent, request, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
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

/** Not `fetch`, which takes three times the CPU time: the tests send tens of thousands of requests. */
const agent = new Agent({ keepAlive: true })

/** Sends requests to a running platform, as any client would. */
export async function ask<Body = ErrorBody>(
  url: string,
  path: string,
  { method = 'GET', token, headers = {}, body }: RequestOptions = {},
): Promise<ClientResponse<Body>> {
  const payload = body === undefined ? undefined : asPayload(body)
  const { href, origin, hash } = new URL(url + path)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(
      href,
      {
        agent,
        // `request` would remove the question mark before an empty query.
        path: href.slice(origin.length, href.length - hash.length),
        method,
        headers: {
          ...(token !== undefined && { 'x-auth-token': token }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      },
      resolve,
    )
      .on('error', reject)
      .end(payload)
  })
  const text = await readText(response)
  const answerHeaders = new Headers(
    Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  )
  const isJson = answerHeaders.get('content-type')?.startsWith('application/json') ?? false
  const answered: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
  const { statusCode: status = 0 } = response
  if (status === 200 && answered !== undefined) assertServerContract(path, answered)
  assertDocumentedError(method, path, answered)
  return { status, headers: answerHeaders, text, body: answered as Body }
}

const asPayload = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)

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
