import type { CompiledQuery } from 'kysely'
import type { TokenStore } from '../domain/identity/ports.ts'
import type { TokenRecord, TokenScope } from '../domain/identity/records.ts'
import { deleteInBatches, purgedAtOnce } from './delete-in-batches.ts'
import { required, type Database, type Statement } from './database.ts'
import type { Tables } from './tables.ts'
import { Violation } from './violation.ts'

export function createTokenStore(database: Database): TokenStore {
  const { read } = database
  let template: CompiledQuery | undefined

  /** The busiest write there is: its text is made once, for `toRow` always names the same columns. */
  function insertion(row: Tables['tokens']): CompiledQuery {
    template ??= read.insertInto('tokens').values(row).compile()
    return { ...template, parameters: Object.values(row) }
  }

  /** The row is held until the token is in: a change of password either comes before it, or ends it. */
  function holdPassword(userId: string, passwordHash: string): Statement {
    const query = read
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .where('password_hash', '=', passwordHash)
    return required((database.engine === 'postgres' ? query.forShare() : query).compile())
  }

  return {
    async insert(token, { passwordHash } = {}) {
      const insert = insertion(toRow(token))
      const statements =
        passwordHash === undefined ? [insert] : [holdPassword(token.userId, passwordHash), insert]
      try {
        await database.commit(statements)
        return true
      } catch (error) {
        if (error instanceof Violation && error.kind !== 'unique') return false
        throw error
      }
    },

    async find(id) {
      const row = await read
        .selectFrom('tokens')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst()
      return row && toRecord(row)
    },

    async revoke(id) {
      await database.commitNews([read.deleteFrom('tokens').where('id', '=', id).compile()])
    },

    async purgeExpired(now) {
      const batch = read
        .deleteFrom('tokens')
        .where('id', 'in', (eb) =>
          eb.selectFrom('tokens').select('id').where('expires_at', '<=', now).limit(purgedAtOnce),
        )
        .compile()
      await deleteInBatches(database, batch)
    },
  }
}

const toRow = (token: TokenRecord): Tables['tokens'] => ({
  id: token.id,
  user_id: token.userId,
  project_id: token.scope.kind === 'project' ? token.scope.id : null,
  domain_id: token.scope.kind === 'domain' ? token.scope.id : null,
  method: token.method,
  parent_id: token.parentId,
  generation: token.generation,
  issued_at: token.issuedAt,
  expires_at: token.expiresAt,
  ip: token.ip,
  source: token.source,
  access_key_id: token.accessKey?.id ?? null,
  access_key_expires_at: token.accessKey?.expiresAt ?? null,
})

const toRecord = (row: Tables['tokens']): TokenRecord => ({
  id: row.id,
  userId: row.user_id,
  scope: toScope(row),
  method: row.method,
  parentId: row.parent_id,
  generation: row.generation,
  issuedAt: row.issued_at,
  expiresAt: row.expires_at,
  ip: row.ip,
  source: row.source,
  accessKey:
    row.access_key_id === null
      ? null
      : { id: row.access_key_id, expiresAt: row.access_key_expires_at },
})

function toScope(row: Pick<Tables['tokens'], 'project_id' | 'domain_id'>): TokenScope {
  if (row.project_id !== null) return { kind: 'project', id: row.project_id }
  if (row.domain_id !== null) return { kind: 'domain', id: row.domain_id }
  return { kind: 'none' }
}
