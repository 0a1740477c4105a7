import { sql, type Kysely } from 'kysely'
import type { FactorWrite } from '../../domain/identity/administration/registry.ts'
import type { FactorUse } from '../../domain/identity/ports.ts'
import { required, type Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

/** Fails the commit if the code, or a later one, was used meanwhile. */
export function useFactorStatement(db: Kysely<Tables>, use: FactorUse, at: number): Statement {
  const statement =
    use.kind === 'totp'
      ? db
          .updateTable('factors')
          .set({ last_step: use.step, last_used_at: at })
          .where('id', '=', use.factorId)
          .where('last_step', '<', use.step)
      : db
          .deleteFrom('recovery_codes')
          .where('user_id', '=', use.userId)
          .where('hash', '=', use.hash)
  return required(statement.compile(), 'factor')
}

/** Compiles one write about second factors. */
export function toFactorStatement(db: Kysely<Tables>, write: FactorWrite): Statement {
  switch (write.do) {
    case 'add': {
      const { factor } = write
      return db
        .insertInto('factors')
        .values({
          id: factor.id,
          user_id: factor.userId,
          name: factor.name,
          secret: factor.encryptedSecret,
          created_at: factor.createdAt,
          confirmed_at: factor.confirmedAt,
          last_step: factor.lastStep,
          last_used_at: factor.lastUsedAt,
        })
        .compile()
    }
    case 'confirm':
      return db
        .updateTable('factors')
        .set({ confirmed_at: write.at })
        .where('id', '=', write.id)
        .compile()
    case 'rename':
      return db
        .updateTable('factors')
        .set({ name: write.name })
        .where('id', '=', write.id)
        .compile()
    case 'delete':
      return db.deleteFrom('factors').where('id', '=', write.id).compile()
    case 'delete-of':
      return db.deleteFrom('factors').where('user_id', '=', write.userId).compile()
    case 'delete-new-of':
      return db
        .deleteFrom('factors')
        .where('user_id', '=', write.userId)
        .where('confirmed_at', 'is', null)
        .compile()
    case 'delete-codes-of':
      return db.deleteFrom('recovery_codes').where('user_id', '=', write.userId).compile()
    case 'add-codes': {
      const { userId: user_id, hashes } = write
      return db
        .insertInto('recovery_codes')
        .values(hashes.map((hash) => ({ user_id, hash })))
        .compile()
    }
    case 'use':
      return useFactorStatement(db, write.use, write.at)
    case 'note-verified': {
      const { tokenId, factor } = write
      const chain = sql<string>`(with recursive chain (id, parent_id) as (
        select id, parent_id from tokens where id = ${tokenId}
        union all
        select parent.id, parent.parent_id from tokens as parent join chain on parent.id = chain.parent_id
      ) select id from chain)`
      return db
        .updateTable('tokens')
        .set({ factor_method: factor.method, factor_at: factor.at })
        .where('id', 'in', chain)
        .compile()
    }
    case 'note-reset':
      return db
        .updateTable('users')
        .set({ factors_reset_at: write.at, factors_reset_by: write.by })
        .where('id', '=', write.userId)
        .compile()
  }
}
