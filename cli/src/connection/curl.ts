import type { Fetch } from '@muster/sdk'
import { safeText } from '../output/safe-text.ts'

/** Keys of bodies whose values are secrets. */
const secretKeys =
  /pass(?:word|code|phrase)|secret|token|credentials|private|blob|cas_ticket|totp|code_verifier/i

const hidden = '***'

function redact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(redact)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      // Only the object at the top of a login has this key, and it has no secret of its own.
      const isSecret = secretKeys.test(key) && !(key === 'password' && hasUser(inner))
      return [key, isSecret && inner !== null ? hidden : redact(inner)]
    }),
  )
}

const hasUser = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'user' in value

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function headerOf(name: string, value: string): string {
  // The shell inserts the token of the caller: OS_TOKEN=$(muster auth token).
  if (name === 'x-auth-token' || name === 'x-subject-token') return `-H "${name}: $OS_TOKEN"`
  if (name === 'authorization') return `-H '${name}: ${hidden}'`
  return `-H ${quote(`${name}: ${value}`)}`
}

function redactText(body: string): string {
  try {
    return JSON.stringify(redact(JSON.parse(body)))
  } catch {
    return hidden
  }
}

type Request = Parameters<Fetch>[1]

/** A request as a command line that can be pasted, without secrets. */
export function renderCurl(address: string, { method, headers, body }: Request): string {
  const parts = [
    'curl',
    '-si',
    ...(method === 'GET' ? [] : ['-X', method]),
    quote(address),
    ...Object.entries(headers).map(([name, value]) => headerOf(name.toLowerCase(), value)),
    ...(body === undefined ? [] : ['-d', quote(redactText(body))]),
  ]
  return safeText(parts.join(' '))
}

/** Prints each request before it is sent, and the status of the response. */
export const debugFetch =
  (fetch: Fetch, print: (line: string) => void): Fetch =>
  async (address, request) => {
    print(renderCurl(address, request))
    const start = performance.now()
    const response = await fetch(address, request)
    const time = Math.round(performance.now() - start)
    const requestId = response.headers.get('x-request-id') ?? 'none'
    print(safeText(`# HTTP ${response.status} in ${time} ms, request id ${requestId}`))
    return response
  }
