import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { hashCanonicalRequest, isForThisLogin } from './canonical-request.ts'
import type { AccessKeySecret, SignedAccessKey } from './read-access-key-secret.ts'

const algorithm = 'AWS4-HMAC-SHA256'
const service = 's3'
const scopeEnd = 'aws4_request'
const hashLength = 64
/** How far the signer's clock may be off. */
const tolerance = 5 * 60_000

/** The reason is for the log only. */
type Verdict =
  | {
      readonly isValid: true
      /** True for a signature with a nonce, which is accepted exactly once. */
      readonly isUnique: boolean
    }
  | { readonly isValid: false; readonly reason: string }

/**
 * Verifies the signature of a login; `audience` is this server's host and port. The signature is
 * computed whatever else is wrong, so that unknown keys take as long as known ones.
 */
export function verifySignature(
  signed: SignedAccessKey,
  secret: string,
  now: number,
  audience: string,
): Verdict {
  const { signDate, headers } = signed
  const date = compactDate(signDate)
  const stringToSign = rebuildStringToSign(signed, date)
  const isSigned = isSame(sign(stringToSign, secret, date, signed.location), signed.signature)

  if (signed.algorithm !== algorithm) return wrong('signed with another algorithm')
  if (signed.request !== stringToSign) return wrong('its string to sign is not what it has to be')
  if (headers && !isForThisLogin(headers, audience, date)) return wrong('signed for another host')
  if (Math.abs(now - signDate) > tolerance) return wrong('signed too long ago, or in the future')
  if (!isSigned) return wrong('unknown key, or not signed with its secret')
  return { isValid: true, isUnique: headers !== undefined }
}

const wrong = (reason: string): Verdict => ({ isValid: false, reason })

/** `YYYYMMDDTHHMMSSZ`, from milliseconds since 1970. */
const compactDate = (date: number): string =>
  new Date(date).toISOString().replaceAll(/[-:]|\.\d+/g, '')

const dayOf = (date: string): string => date.slice(0, 8)

/**
 * Built here rather than taken from the caller. Of a request of Cloudpods' clients only the hash is
 * known.
 */
function rebuildStringToSign(signed: SignedAccessKey, date: string): string {
  const { location, headers, request } = signed
  const requestHash = headers ? hashCanonicalRequest(headers) : request.slice(-hashLength)
  const scope = [dayOf(date), location, service, scopeEnd].join('/')
  return [algorithm, date, scope, requestHash].join('\n')
}

function sign(text: string, secret: string, date: string, location: string): string {
  const chain = [dayOf(date), location, service, scopeEnd]
  const key = chain.reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, text).toString('hex')
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Checks an access key, signed with or sent in plain text. */
export function verifyAccessKey(
  credential: AccessKeySecret,
  secret: string,
  now: number,
  audience: string,
): Verdict {
  if (credential.form === 'signed') return verifySignature(credential, secret, now, audience)
  return timingSafeEqual(digest(credential.secret), digest(secret))
    ? { isValid: true, isUnique: false }
    : { isValid: false, reason: 'unknown key or wrong secret' }
}
