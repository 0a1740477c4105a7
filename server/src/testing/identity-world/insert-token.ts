import type { TokenRecord } from '../../domain/identity/records.ts'
import { mintToken, tokenId } from '../../domain/identity/token-secret.ts'
import type { Database } from '../../storage/database.ts'
import { createTokenStore } from '../../storage/identity/tokens.ts'
import { makeEvent, makeToken } from './identity-records.ts'

/** Writes a token directly to storage, which saves hashing a password. */
export async function insertToken(
  database: Database,
  changes: Partial<TokenRecord> & Pick<TokenRecord, 'userId'>,
): Promise<string> {
  const secret = mintToken().secret
  const issuedAt = Date.now()
  const record = makeToken({
    id: tokenId(secret) ?? '',
    issuedAt,
    expiresAt: issuedAt + 3_600_000,
    ...changes,
  })
  if (!(await createTokenStore(database).insert(record, {}, makeEvent()))) {
    throw new Error('the user, the scope or the parent of the token is not there')
  }
  return secret
}
