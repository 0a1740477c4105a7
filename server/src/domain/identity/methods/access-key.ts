import { createHash, randomBytes } from 'node:crypto'
import { badField, loginFailed } from '../../error.ts'
import { readAccessKeySecret, type AccessKeySecret } from '../access-key/read-access-key-secret.ts'
import { isAcceptedFrom } from '../access-key/key-restriction.ts'
import { accessKeyContext } from '../access-key/mint-access-key.ts'
import type { SecretBox } from '../../secret-box.ts'
import { verifyAccessKey } from '../access-key/verify-access-key.ts'
import type { AccessKeyStore, SingleUse } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import type { AccessKeyRecord } from '../records.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { AuthMethod } from './auth-method.ts'

/** Cloudpods' clients sign with a resolution of a second: within it two logins look the same. */
const sameUse = 2_000

interface Dependencies {
  readonly accessKeys: AccessKeyStore
  readonly secretBox: SecretBox & {
    /** Throws if values may be encrypted with a key that this process lacks. */
    requireKeys(): void
  }
  readonly clock: Clock
  /** The host that a signature with a nonce must be for. */
  readonly audience: string
  /**
   * How long keys work after the last login of a user who logs in at identity providers only, in
   * milliseconds; 0 for ever. The keys of who has left the organisation end so.
   */
  readonly confirmedFor: number
}

/**
 * Login with an access key, as a signature or in plain text. The token is for the key's project
 * only.
 */
export function createAccessKeyMethod(dependencies: Dependencies): AuthMethod {
  const { accessKeys, secretBox, clock, audience, confirmedFor } = dependencies
  // Compared for unknown keys, so that every login takes the same time.
  const decoy = randomBytes(32).toString('base64url')
  const sealedDecoy = secretBox.encrypt(decoy, contextOf(undefined))

  const openSecret = (key: AccessKeyRecord | undefined) =>
    secretBox.decrypt(key?.encryptedSecret ?? sealedDecoy, contextOf(key))

  return {
    names: ['aksk', 'access_key_secret'],
    section: 'access_key_secret',
    async authenticate({ access_key_secret: text }, origin) {
      if (text === undefined) {
        throw badField('auth.identity.access_key_secret', 'is required', 'MissingParameterError')
      }
      const credential = readAccessKeySecret(text)
      requireConfidential(credential, origin)
      // Before it is looked up, so that the answer is the same for every access key.
      secretBox.requireKeys()
      const now = clock()
      const key = await accessKeys.find(credential.accessKey)
      const verdict = verifyAccessKey(credential, openSecret(key), now, audience)
      if (!key) throw loginFailed('no such access key')
      if (!verdict.isValid) throw loginFailed(`access key: ${verdict.reason}`, key.user)
      if (!key.enabled) throw loginFailed('access key disabled', key.user)
      if (key.expiresAt !== null && key.expiresAt <= now) {
        throw loginFailed('access key has expired', key.user)
      }
      if (!isAcceptedFrom(key.restriction, origin.ip)) {
        throw loginFailed('access key: not accepted from this address', key.user)
      }
      const unconfirmedAt = confirmationEnd(key, confirmedFor)
      if (unconfirmedAt <= now) {
        throw loginFailed('access key: no login at the identity provider for too long', key.user)
      }
      const expiresAt = Math.min(key.expiresAt ?? Infinity, unconfirmedAt)
      const singleUse = singleUseOf(credential, verdict.isUnique, origin, now)
      return {
        user: key.user,
        scope: { kind: 'project', id: key.projectId },
        accessKey: { id: key.id, expiresAt: key.expiresAt, restriction: key.restriction },
        ...(expiresAt !== Infinity && { expiresAt }),
        preconditions: { accessKeyId: key.id, ...(singleUse && { singleUse }) },
      }
    },
  }
}

const confirmationEnd = ({ confirmedAt }: AccessKeyRecord, confirmedFor: number): number =>
  confirmedAt === null || confirmedFor === 0 ? Infinity : confirmedAt + confirmedFor

const contextOf = (key: AccessKeyRecord | undefined) =>
  accessKeyContext(key?.id ?? '', key?.user.id ?? '', key?.projectId ?? '')

function requireConfidential({ form }: AccessKeySecret, { isConfidential }: RequestOrigin): void {
  if (form === 'signed' || isConfidential) return
  throw badField(
    'auth.identity.access_key_secret',
    'contains the plain secret, which is accepted only over TLS or from this machine. Send a signature instead.',
  )
}

/** A signature is accepted once. A plain secret can be used repeatedly. */
function singleUseOf(
  credential: AccessKeySecret,
  isUnique: boolean,
  { ip }: RequestOrigin,
  now: number,
): SingleUse | undefined {
  if (credential.form === 'plain') return undefined
  const digest = createHash('sha256').update(`${credential.accessKey}\0${credential.signature}`)
  return {
    id: `signature:${digest.digest('base64url')}`,
    address: ip,
    at: now,
    grace: isUnique ? 0 : sameUse,
  }
}
