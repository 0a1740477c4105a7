import { hash } from 'node:crypto'
import { createCache, type CacheMemory } from '../cache.ts'
import { badField } from '../error.ts'
import type { RequestOrigin } from '../request-origin.ts'
import type { IssueToken } from './issue-token.ts'
import type { Principal } from './principal.ts'
import type { VerifyToken } from './verify-token.ts'

interface Dependencies {
  readonly issueToken: IssueToken
  readonly verifyToken: VerifyToken
  readonly memory: CacheMemory
}

/** Bytes of the secret of a token. */
const tokenSize = 100

/**
 * Authenticates programs that send an access key with every request. The first request logs in, with
 * all checks of a login. Later ones use its token, and so write nothing. A token ends with its key.
 */
export function createAuthenticateAccessKey({ issueToken, verifyToken, memory }: Dependencies) {
  // By a digest, so that secrets of keys do not stay in memory.
  const tokens = createCache<string, 'any', string>(memory, 'access_key_tokens', () => tokenSize)

  /** By digest too: requests in parallel share one login. */
  const logins = new Map<string, Promise<string>>()

  async function logIn(digest: string, credential: string, origin: RequestOrigin) {
    try {
      const { secret } = await issueToken(
        { auth: { identity: { methods: ['aksk'], access_key_secret: credential } } },
        origin,
      )
      tokens.set(digest, 'any', secret)
      return secret
    } finally {
      logins.delete(digest)
    }
  }

  return async function authenticateAccessKey(
    accessKey: string,
    secret: string,
    origin: RequestOrigin,
  ): Promise<Principal | undefined> {
    if (!origin.isConfidential) {
      throw badField(
        'Authorization',
        'contains the plain secret of an access key, which is accepted only over TLS or from this machine',
      )
    }
    const credential = `${accessKey}:${secret}`
    const digest = hash('sha256', credential, 'base64url')
    const known = tokens.get(digest, 'any')
    const principal = known === undefined ? undefined : await verifyToken(known)
    if (principal) return principal
    const login = logins.get(digest) ?? logIn(digest, credential, origin)
    logins.set(digest, login)
    return await verifyToken(await login)
  }
}
export type AuthenticateAccessKey = ReturnType<typeof createAuthenticateAccessKey>
