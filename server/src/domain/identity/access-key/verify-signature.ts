import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashOwnRequest, isAddressed } from './own-request.ts'
import type { SignedAccessKey } from './read-access-key-secret.ts'

const algorithm = 'AWS4-HMAC-SHA256'
const service = 's3'
const scopeEnd = 'aws4_request'
const hashLength = 64
/** How far apart the signer's clock and ours may be. */
const tolerance = 5 * 60_000

/** Either the signature holds, or the log learns why not. */
type SignatureVerdict =
  | {
      readonly isRight: true
      /** A nonce makes it one of a kind: not even a quick repeat can pass for the same use. */
      readonly isStrict: boolean
    }
  | { readonly isRight: false; readonly reason: string }

/**
 * Whether the holder of the secret signed a login just now, and in Muster's own form for this very
 * server; `audience` is its host, with the port. The signature is computed whatever else is wrong,
 * so that a decoy in scope of an unknown key's secret costs what that secret would.
 */
export function verifySignature(
  signed: SignedAccessKey,
  secret: string,
  now: number,
  audience: string,
): SignatureVerdict {
  const { signDate, headers } = signed
  const date = compactDate(signDate)
  const stringToSign = rebuildStringToSign(signed, date)
  const isSigned = isSame(sign(stringToSign, secret, date, signed.location), signed.signature)

  if (signed.algorithm !== algorithm) return wrong('signed with another algorithm')
  if (signed.request !== stringToSign) return wrong('its string to sign is not what it has to be')
  if (headers && !isAddressed(headers, audience, date)) return wrong('signed for another host')
  if (Math.abs(now - signDate) > tolerance) return wrong('signed too long ago, or in the future')
  if (!isSigned) return wrong('unknown key, or not signed with its secret')
  return { isRight: true, isStrict: headers !== undefined }
}

const wrong = (reason: string): SignatureVerdict => ({ isRight: false, reason })

/** `YYYYMMDDTHHMMSSZ`, from milliseconds since 1970. */
const compactDate = (date: number): string =>
  new Date(date).toISOString().replaceAll(/[-:]|\.\d+/g, '')

const dayOf = (date: string): string => date.slice(0, 8)

/** Made here, not taken from the caller; of a request in Cloudpods' form only the hash is known. */
function rebuildStringToSign(signed: SignedAccessKey, date: string): string {
  const { location, headers, request } = signed
  const requestHash = headers ? hashOwnRequest(headers) : request.slice(-hashLength)
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
