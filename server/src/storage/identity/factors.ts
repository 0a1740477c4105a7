import type { FactorStore } from '../../domain/identity/ports.ts'
import type { DatabaseReader } from '../database.ts'

/** The second factors of users. */
export const createFactorStore = ({ db }: DatabaseReader): FactorStore => ({
  async list(userId) {
    const rows = await db
      .selectFrom('factors')
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .orderBy('id')
      .selectAll()
      .execute()
    return rows.map((row) => ({
      id: row.id,
      userId: row.user_id,
      name: row.name,
      encryptedSecret: row.secret,
      createdAt: row.created_at,
      confirmedAt: row.confirmed_at,
      lastStep: row.last_step,
      lastUsedAt: row.last_used_at,
    }))
  },

  async hasRecoveryCode(userId, hash) {
    const row = await db
      .selectFrom('recovery_codes')
      .where('user_id', '=', userId)
      .where('hash', '=', hash)
      .select('hash')
      .executeTakeFirst()
    return row !== undefined
  },

  async countRecoveryCodes(userId) {
    const { count } = await db
      .selectFrom('recovery_codes')
      .where('user_id', '=', userId)
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  async findReset(userId) {
    const row = await db
      .selectFrom('users')
      .where('id', '=', userId)
      .select(['factors_reset_at', 'factors_reset_by'])
      .executeTakeFirst()
    if (!row || row.factors_reset_at === null) return undefined
    return { at: row.factors_reset_at, by: row.factors_reset_by ?? '' }
  },
})
