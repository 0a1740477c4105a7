import { noLoginRules } from '@muster/contract'
import type { SessionLimits, SessionRecord, SessionStore } from '@muster/gateway'
import { required, type DatabaseReader, type DatabaseWriter } from '../database.ts'
import { deleteInBatches, purgeBatchSize } from '../delete-in-batches.ts'
import { readLoginRules } from '../identity/domain-columns.ts'
import type { Tables } from '../tables.ts'
import { Violation } from '../violation.ts'

type Row = Tables['sessions']

const toRow = (session: SessionRecord): Row => ({
  id: session.id,
  user_id: session.userId,
  sealed: session.sealed,
  scope: session.scope,
  ip: session.ip,
  user_agent: session.userAgent,
  created_at: session.createdAt,
  seen_at: session.seenAt,
  expires_at: session.expiresAt,
})

const toRecord = (row: Row): SessionRecord => ({
  id: row.id,
  userId: row.user_id,
  sealed: row.sealed,
  scope: row.scope,
  ip: row.ip,
  userAgent: row.user_agent,
  createdAt: row.created_at,
  seenAt: row.seen_at,
  expiresAt: row.expires_at,
})

/** The rules are read at each use of a session, so a change holds at once in all processes. */
function toLimits(rules: string | null | undefined): SessionLimits {
  const { session_lifetime, session_idle } = rules ? readLoginRules(rules) : noLoginRules
  const toMilliseconds = (seconds: number | null) => (seconds ?? Infinity) * 1_000
  return { lifetime: toMilliseconds(session_lifetime), idle: toMilliseconds(session_idle) }
}

/** The sessions of browsers. */
export function createSessionStore(database: DatabaseReader & DatabaseWriter): SessionStore {
  const { db } = database
  const insert = (session: SessionRecord) =>
    db.insertInto('sessions').values(toRow(session)).compile()
  const remove = (id: string) => db.deleteFrom('sessions').where('id', '=', id)

  return {
    async insert(session) {
      await database.commit([insert(session)])
    },

    async find(id) {
      const row = await db
        .selectFrom('sessions')
        .leftJoin('users', 'users.id', 'sessions.user_id')
        .leftJoin('domains', 'domains.id', 'users.domain_id')
        .where('sessions.id', '=', id)
        .selectAll('sessions')
        .select('domains.login_rules')
        .executeTakeFirst()
      return row && { ...toRecord(row), limits: toLimits(row.login_rules) }
    },

    async limitsOf(userId) {
      const row = await db
        .selectFrom('users')
        .innerJoin('domains', 'domains.id', 'users.domain_id')
        .where('users.id', '=', userId)
        .select('domains.login_rules')
        .executeTakeFirst()
      return toLimits(row?.login_rules)
    },

    async replace(id, session) {
      try {
        await database.commit([required(remove(id).compile(), 'session'), insert(session)])
        return true
      } catch (error) {
        if (error instanceof Violation && error.kind !== 'unique') return false
        throw error
      }
    },

    async touch(id, seenAt) {
      await database.commit([
        db.updateTable('sessions').set({ seen_at: seenAt }).where('id', '=', id).compile(),
      ])
    },

    async remove(id, userId) {
      const [outcome] = await database.commit([remove(id).where('user_id', '=', userId).compile()])
      return (outcome?.changes ?? 0) > 0
    },

    async listOf(userId, { seen, now }) {
      const rows = await db
        .selectFrom('sessions')
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .where('seen_at', '>', seen)
        .orderBy('seen_at', 'desc')
        .orderBy('id')
        .selectAll()
        .execute()
      return rows.map(toRecord)
    },

    async purge({ seen, now }) {
      const batch = db
        .deleteFrom('sessions')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('sessions')
            .select('id')
            .where((row) => row.or([row('expires_at', '<=', now), row('seen_at', '<=', seen)]))
            .limit(purgeBatchSize),
        )
        .compile()
      await deleteInBatches(database, batch)
    },
  }
}
