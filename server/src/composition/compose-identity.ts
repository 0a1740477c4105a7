import { createCatalog } from '../domain/identity/catalog.ts'
import { createDescribeToken } from '../domain/identity/describe-token.ts'
import { createInspectToken } from '../domain/identity/inspect-token.ts'
import { createRevokeToken } from '../domain/identity/revoke-token.ts'
import { createIssueToken } from '../domain/identity/issue-token.ts'
import { createPasswordMethod } from '../domain/identity/methods/password.ts'
import { createTokenMethod } from '../domain/identity/methods/token.ts'
import type { Clock, News, PasswordHasher, Pseudonym } from '../domain/identity/ports.ts'
import { createStandings } from '../domain/identity/standings.ts'
import { createVerifyToken } from '../domain/identity/verify-token.ts'
import type { Database } from '../storage/database.ts'
import { createDirectory } from '../storage/directory.ts'
import { createLoginGuard } from '../storage/login-guard.ts'
import { createTokenStore } from '../storage/tokens.ts'

interface Parts {
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly pseudonym: Pseudonym
  readonly clock: Clock
  readonly authUrl: string
  readonly baseUrl: string
  readonly region: string
  /** How long a token lives, in milliseconds. */
  readonly lifetime: number
}

/** Identity's use cases over a storage. A new method of identity is a line here. */
export function composeIdentity(parts: Parts) {
  const { database, hasher, pseudonym, clock, lifetime } = parts
  const news: News = { current: database.currentVersion }
  const directory = createDirectory(database)
  const tokens = createTokenStore(database)
  const guard = createLoginGuard(database)
  const findStanding = createStandings({ directory, news, clock })
  const verifyToken = createVerifyToken({ tokens, findStanding, news, clock })
  const inspectToken = createInspectToken(verifyToken)
  const catalog = createCatalog(parts)
  const describeToken = createDescribeToken(catalog)
  const methods = [
    createPasswordMethod({ directory, guard, hasher, pseudonym, clock }),
    createTokenMethod(verifyToken),
  ]
  return {
    issueToken: createIssueToken({ methods, findStanding, tokens, describeToken, clock, lifetime }),
    verifyToken,
    inspectToken,
    revokeToken: createRevokeToken(inspectToken, tokens),
    describeToken,
    catalog,
    async purgeExpired(): Promise<void> {
      await tokens.purgeExpired(clock())
      await guard.purgeIdle(clock())
    },
  }
}
