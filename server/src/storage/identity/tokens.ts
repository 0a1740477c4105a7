import type { Selectable } from 'kysely'
import type { TokenStore } from '../../domain/identity/ports.ts'
import { readRestriction } from './access-keys.ts'
import type { TokenRecord } from '../../domain/identity/records.ts'
import { deleteInBatches, purgeBatchSize } from '../delete-in-batches.ts'
import type { DatabaseReader, DatabaseWriter, IdentityWriter, Statements } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { createPreconditionStatements } from './token-preconditions.ts'
import type { Tables } from '../tables.ts'
import { createStatementTemplate } from '../statement-template.ts'
import { createTokenLimit, tokenLimitReached } from './token-limit.ts'
import { readScopeColumns, toScopeColumns } from './token-scope-columns.ts'
import { Violation } from '../violation.ts'

/** Longer than any signature or ticket is valid. */
const spentRemembered = 86_400_000

export function createTokenStore(
  database: DatabaseReader & DatabaseWriter & IdentityWriter,
  mostTokens = 0,
): TokenStore {
  const { db } = database
  const insertToken = createStatementTemplate<Selectable<Tables['tokens']>>(columns, (row) =>
    db.insertInto('tokens').values(row).compile(),
  )
  const insertEvent = createInsertEvent(db)
  const { preconditionStatements, useOnceStatement } = createPreconditionStatements(database)
  const limit = createTokenLimit(database, mostTokens)

  /** False if a precondition no longer holds. */
  async function commitIfMet(statements: Statements): Promise<boolean> {
    try {
      await database.commit(statements)
      return true
    } catch (error) {
      if (!(error instanceof Violation) || error.kind === 'unique') throw error
      if (error.reason === tokenLimitReached) throw error
      return false
    }
  }

  return {
    async insert(token, preconditions, ...events) {
      const counted = { userId: token.userId, now: token.issuedAt }
      const statements = [
        ...(await limit.statementsFor(counted)),
        ...preconditionStatements(token, preconditions),
        insertToken(toRow(token)),
        ...events.map(insertEvent),
      ]
      try {
        return await commitIfMet(statements)
      } catch (error) {
        const isFull = error instanceof Violation && error.reason === tokenLimitReached
        throw isFull ? await limit.toRefusal(counted) : error
      }
    },

    useOnce: (singleUse) => commitIfMet([useOnceStatement(singleUse)]),

    async find(id) {
      const row = await db
        .selectFrom('tokens')
        .leftJoin('access_keys', 'access_keys.id', 'tokens.access_key_id')
        .where('tokens.id', '=', id)
        .selectAll('tokens')
        .select(['access_keys.id as key_id', 'access_keys.restriction'])
        .executeTakeFirst()
      // Without its key, the restriction of a token is unknown.
      if (!row || row.access_key_id !== row.key_id) return undefined
      return toRecord(row)
    },

    async revoke(id, event) {
      await database.commitIdentity([
        db.deleteFrom('tokens').where('id', '=', id).compile(),
        insertEvent(event),
      ])
    },

    async purgeExpired(now) {
      const batch = db
        .deleteFrom('tokens')
        .where('id', 'in', (eb) =>
          eb.selectFrom('tokens').select('id').where('expires_at', '<=', now).limit(purgeBatchSize),
        )
        .compile()
      await deleteInBatches(database, batch)
      await database.commit([
        db.deleteFrom('password_links').where('expires_at', '<=', now).compile(),
      ])
      const forgotten = db
        .deleteFrom('spent')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('spent')
            .select('id')
            .where('spent_at', '<', now - spentRemembered)
            .limit(purgeBatchSize),
        )
        .compile()
      await deleteInBatches(database, forgotten)
    },
  }
}

const columns: readonly (keyof Tables['tokens'])[] = [
  'id',
  'user_id',
  'project_id',
  'domain_id',
  'method',
  'parent_id',
  'generation',
  'login_at',
  'login_method',
  'issued_at',
  'expires_at',
  'ip',
  'source',
  'access_key_id',
  'access_key_expires_at',
  'provider_id',
  'provider_session',
  'factor_method',
  'factor_at',
]

const toRow = (token: TokenRecord): Selectable<Tables['tokens']> => ({
  id: token.id,
  user_id: token.userId,
  ...toScopeColumns(token.scope),
  method: token.method,
  parent_id: token.parentId,
  generation: token.generation,
  login_at: token.login.at,
  login_method: token.login.method,
  issued_at: token.issuedAt,
  expires_at: token.expiresAt,
  ip: token.ip,
  source: token.source,
  access_key_id: token.accessKey?.id ?? null,
  access_key_expires_at: token.accessKey?.expiresAt ?? null,
  provider_id: token.providerId,
  provider_session: token.providerSession,
  factor_method: token.factor?.method ?? null,
  factor_at: token.factor?.at ?? null,
})

const toRecord = (
  row: Selectable<Tables['tokens']> & { readonly restriction: string | null },
): TokenRecord => ({
  id: row.id,
  userId: row.user_id,
  scope: readScopeColumns(row),
  method: row.method,
  parentId: row.parent_id,
  generation: row.generation,
  login: { at: row.login_at, method: row.login_method },
  issuedAt: row.issued_at,
  expiresAt: row.expires_at,
  ip: row.ip,
  source: row.source,
  accessKey:
    row.access_key_id === null
      ? null
      : {
          id: row.access_key_id,
          expiresAt: row.access_key_expires_at,
          restriction: readRestriction(row.restriction),
        },
  providerId: row.provider_id,
  providerSession: row.provider_session,
  factor:
    row.factor_method === 'totp' && row.factor_at !== null
      ? { method: row.factor_method, at: row.factor_at }
      : null,
})
