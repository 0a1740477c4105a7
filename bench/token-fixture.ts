import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoginEvent } from '../server/src/domain/audit/create-login-event.ts'
import type { IdentityVersion } from '../server/src/domain/identity/ports.ts'
import { createCacheMemory } from '../server/src/domain/cache.ts'
import { createFindUserStatus } from '../server/src/domain/identity/user-status.ts'
import { mintToken, tokenId } from '../server/src/domain/identity/token-secret.ts'
import { createVerifyToken } from '../server/src/domain/identity/verify-token.ts'
import { createDirectory } from '../server/src/storage/identity/directory.ts'
import { createInitialDataStore } from '../server/src/storage/initial-data.ts'
import { openSqlite } from '../server/src/storage/sqlite/open.ts'
import { createTokenStore } from '../server/src/storage/identity/tokens.ts'
import { removeFolder } from './server.ts'

/** Identity without HTTP: a real database with an administrator and a token to verify. */
export async function createTokenFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const database = await openSqlite(folder, async () => {})
  await createInitialDataStore(database).create('', Date.now())
  const { id: userId } = await database.db
    .selectFrom('users')
    .select('id')
    .executeTakeFirstOrThrow()

  const tokens = createTokenStore(database)
  const secret = mintToken().secret
  const id = tokenId(secret) ?? ''
  const time = Date.now()
  const record = {
    id,
    userId,
    scope: { kind: 'none' },
    method: 'password',
    parentId: null,
    generation: 0,
    login: { at: time, method: 'password' },
    issuedAt: time,
    expiresAt: time + 3_600_000,
    ip: '127.0.0.1',
    source: 'api',
    accessKey: null,
    providerId: null,
    providerSession: null,
    factor: null,
  } as const
  const event = createLoginEvent({
    user: { id: userId, name: 'sysadmin', domainId: 'default' },
    method: 'password',
    projectId: '',
    origin: { ip: record.ip, requestId: 'bench', isConfidential: true },
    time,
  })
  await tokens.insert(record, {}, event)

  const clock = Date.now
  const memory = createCacheMemory(2 ** 24)
  const directory = createDirectory(database)
  const identityVersion: IdentityVersion = { current: database.currentVersion }
  const disconnected: IdentityVersion = { current: () => undefined }
  const findUserStatus = createFindUserStatus({ directory, identityVersion, clock, memory })
  const known = createVerifyToken({ tokens, findUserStatus, identityVersion, clock, memory })
  const unknown = createVerifyToken({
    tokens,
    findUserStatus,
    identityVersion: disconnected,
    clock,
    memory,
  })
  return {
    verifyKnown: () => known(secret),
    verifyUnknown: () => unknown(secret),
    readRow: () => tokens.find(id),
    async close() {
      await database.close()
      removeFolder(folder)
    },
  }
}
