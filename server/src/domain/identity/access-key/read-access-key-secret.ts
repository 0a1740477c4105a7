import { badField } from '../../error.ts'
import { canonicalHeaderNames, type CanonicalHeaders } from './canonical-request.ts'

/** `<AccessKey>:<secret>`, for people with curl. */
interface PlainAccessKey {
  readonly form: 'plain'
  readonly accessKey: string
  readonly secret: string
}

/** A signed login request: the secret itself is not sent. */
export interface SignedAccessKey {
  readonly form: 'signed'
  readonly accessKey: string
  readonly algorithm: string
  readonly location: string
  /** Milliseconds since 1970, at a full second. */
  readonly signDate: number
  readonly signedHeaders: readonly string[]
  /** The string to sign. It contains only a hash of the request. */
  readonly request: string
  readonly signature: string
  /** The headers that were hashed. Only the form with a nonce has them. */
  readonly headers?: CanonicalHeaders
}

const longestText = 4_096
const mostHeaders = 64

export type AccessKeySecret = PlainAccessKey | SignedAccessKey

/** The syntax of each member. Verification comes later. */
const shapes = {
  access_key: /^[ -~]{1,255}$/,
  algorithm: /^[ -~]{1,64}$/,
  location: /^[\w.-]{1,64}$/,
  // Four lines: algorithm, date, scope, and the SHA-256 of the request.
  request: /^(?:[ -~]{1,255}\n){3}[0-9a-f]{64}$/,
  sign_date: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/,
  signature: /^[ -~]{1,255}$/,
}
const headerName = /^[a-z0-9_-]{1,64}$/
const headerValue = /^[!-~]{1,255}$/
const nonceShape = /^[\w-]{16,128}$/
const memberNames = new Set([...Object.keys(shapes), 'signed_headers', 'headers'])

type Members = Readonly<Record<string, unknown>>

/** Reads `auth.identity.access_key_secret`, which has one of two forms. */
export function readAccessKeySecret(text: string): AccessKeySecret {
  if (text.length > longestText) throw malformed(`is longer than ${longestText} characters`)
  return text.startsWith('{') ? readSigned(parseMembers(text)) : readPlain(text)
}

const malformed = (problem: string) => badField('auth.identity.access_key_secret', problem)

function readPlain(text: string): PlainAccessKey {
  const [, accessKey, secret] = /^([ -9;-~]{1,255}):([ -~]{1,255})$/.exec(text) ?? []
  if (accessKey === undefined || secret === undefined) {
    throw malformed('is neither <AccessKey>:<secret> nor the JSON text of a signed request')
  }
  return { form: 'plain', accessKey, secret }
}

function parseMembers(text: string): Members {
  let members: Members
  try {
    // A text that starts with a brace is an object or invalid.
    members = JSON.parse(text) as Members
  } catch {
    throw malformed('starts like JSON but is not valid JSON')
  }
  const stray = Object.keys(members).find((name) => !memberNames.has(name))
  if (stray !== undefined) throw malformed('has an unknown member')
  return members
}

function readSigned(members: Members): SignedAccessKey {
  const signedHeaders = readSignedHeaders(members['signed_headers'])
  const headers = readCanonicalHeaders(members['headers'], signedHeaders)
  return {
    form: 'signed',
    accessKey: readText(members, 'access_key'),
    algorithm: readText(members, 'algorithm'),
    location: readText(members, 'location'),
    signDate: readDate(readText(members, 'sign_date')),
    signedHeaders,
    request: readText(members, 'request'),
    signature: readText(members, 'signature'),
    ...(headers && { headers }),
  }
}

function readText(members: Members, name: keyof typeof shapes): string {
  const value = members[name]
  if (isText(value, shapes[name])) return value
  throw malformed(`has no valid "${name}"`)
}

const isText = (value: unknown, shape: RegExp): value is string =>
  typeof value === 'string' && shape.test(value)

/** Drops the fraction, because the date within the signature has none. */
function readDate(text: string): number {
  const second = `${text.slice(0, 19)}Z`
  const date = Date.parse(second)
  // Rejects days such as February 30, which would be read as a day of the next month.
  const isDate = !Number.isNaN(date) && new Date(date).toISOString().startsWith(second.slice(0, -1))
  if (!isDate) throw malformed('has an invalid "sign_date"')
  return date
}

function readSignedHeaders(value: unknown): string[] {
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= mostHeaders &&
    value.every((name) => isText(name, headerName))
  if (!isList) throw malformed('has no valid "signed_headers"')
  return value
}

/** A nonce requires the values of all signed headers, and they require a nonce. */
function readCanonicalHeaders(
  value: unknown,
  signedHeaders: readonly string[],
): CanonicalHeaders | undefined {
  const hasNonce = signedHeaders.includes('x-muster-nonce')
  if (hasNonce !== (value !== undefined)) {
    throw malformed('needs both "headers" and a signed "x-muster-nonce", or neither')
  }
  if (!hasNonce) return undefined
  const names = canonicalHeaderNames.join()
  if (signedHeaders.join() !== names) {
    throw malformed(`with a nonce has exactly these "signed_headers": ${names}`)
  }
  if (!isCanonicalHeaders(value)) throw malformed('has "headers" that are not those signed')
  return value
}

function isCanonicalHeaders(value: unknown): value is CanonicalHeaders {
  if (typeof value !== 'object' || value === null) return false
  const headers = value as Members
  return (
    Object.keys(headers).length === canonicalHeaderNames.length &&
    canonicalHeaderNames.every((name) => isText(headers[name], headerValue)) &&
    isText(headers['x-muster-nonce'], nonceShape)
  )
}
