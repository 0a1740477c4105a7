import { badField } from '../../error.ts'
import { ownHeaderNames, type OwnHeaders } from './own-request.ts'

/** `<AccessKey>:<secret>`, for people with curl. */
interface PlainAccessKey {
  readonly form: 'plain'
  readonly accessKey: string
  readonly secret: string
}

/** A request to the token operation that was signed instead of sent: the secret stays at home. */
export interface SignedAccessKey {
  readonly form: 'signed'
  readonly accessKey: string
  readonly algorithm: string
  readonly location: string
  /** Milliseconds since 1970, at a full second. */
  readonly signDate: number
  readonly signedHeaders: readonly string[]
  /** The string that was signed; all it tells of the request is a hash. */
  readonly request: string
  readonly signature: string
  /** What the hash was made from. Only Muster's own form has them. */
  readonly headers?: OwnHeaders
}

const longestText = 4_096
const mostHeaders = 64

export type AccessKeySecret = PlainAccessKey | SignedAccessKey

/** What each text may look like. Whether it is right is for the verification to say. */
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

/** Reads `auth.identity.access_key_secret`, which is a text in one of two forms. */
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
    // A text that starts with a brace is an object or nothing.
    members = JSON.parse(text) as Members
  } catch {
    throw malformed('starts like JSON and is not')
  }
  const stray = Object.keys(members).find((name) => !memberNames.has(name))
  if (stray !== undefined) throw malformed('has a member that no signed request has')
  return members
}

function readSigned(members: Members): SignedAccessKey {
  const signedHeaders = readSignedHeaders(members['signed_headers'])
  const headers = readOwnHeaders(members['headers'], signedHeaders)
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
  throw malformed(`has no "${name}", or one that cannot be`)
}

const isText = (value: unknown, shape: RegExp): value is string =>
  typeof value === 'string' && shape.test(value)

/** The fraction is dropped: the date within the signature has none. */
function readDate(text: string): number {
  const second = `${text.slice(0, 19)}Z`
  const date = Date.parse(second)
  // A day that no month has would be read as one of the next month.
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
  if (!isList) throw malformed('has no "signed_headers", or some that cannot be')
  return value
}

/** With the nonce come the values of all signed headers, and the other way round. */
function readOwnHeaders(value: unknown, signedHeaders: readonly string[]): OwnHeaders | undefined {
  const hasNonce = signedHeaders.includes('x-muster-nonce')
  if (hasNonce !== (value !== undefined)) {
    throw malformed('needs both "headers" and a signed "x-muster-nonce", or neither')
  }
  if (!hasNonce) return undefined
  const names = ownHeaderNames.join()
  if (signedHeaders.join() !== names) {
    throw malformed(`with a nonce has exactly these "signed_headers": ${names}`)
  }
  if (!isOwnHeaders(value)) throw malformed('has "headers" that are not those signed')
  return value
}

function isOwnHeaders(value: unknown): value is OwnHeaders {
  if (typeof value !== 'object' || value === null) return false
  const headers = value as Members
  return (
    Object.keys(headers).length === ownHeaderNames.length &&
    ownHeaderNames.every((name) => isText(headers[name], headerValue)) &&
    isText(headers['x-muster-nonce'], nonceShape)
  )
}
