import { sql, type Kysely } from 'kysely'
import { failuresBeforeDelay, loginDelays } from '../../domain/identity/login-delay.ts'
import type { LoginGuard } from '../../domain/identity/ports.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { deleteInBatches, purgeBatchSize } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'

const day = 86_400_000
/** A comparison that has not settled after this time counts as failed: its process has died. */
const abandonedAfter = 30_000
/** No delay ends later than this. One that does began while the clock was wrong. */
const latestEnd = 30 * 60_000
const failuresForgottenAfter = day
const originsForgottenAfter = 90 * day
const mostAddresses = 1_000

const accountBucket = (userKey: string) => `account:${userKey}`
const knownBucket = (userKey: string, address: string) => `known:${userKey}:${address}`

/** Forgets the failed logins of a user, from every address. */
export const forgetFailures = (db: Kysely<Tables>, userId: string): Statement =>
  db
    .deleteFrom('login_attempts')
    .where((eb) =>
      eb.or([
        eb('bucket', '=', accountBucket(userId)),
        eb('bucket', 'like', knownBucket(userId, '%')),
      ]),
    )
    .compile()

/** Counts the failed logins of each user and delays the next login. */
export function createLoginGuard(database: DatabaseReader & DatabaseWriter): LoginGuard {
  const { db } = database

  /**
   * Failures are counted per user. Addresses from which the user has logged in before are counted
   * separately, so that guesses from elsewhere cannot lock the user out.
   */
  async function findBucket(userKey: string, address: string): Promise<string> {
    const origin = await db
      .selectFrom('login_origins')
      .where('account', '=', userKey)
      .where('address', '=', address)
      .select('account')
      .executeTakeFirst()
    return origin ? knownBucket(userKey, address) : accountBucket(userKey)
  }

  /** One statement, so that concurrent guesses cannot pass the limit. */
  const admit = (bucket: string, now: number) => {
    const abandoned = now - abandonedAfter
    const isAbandoned = sql<boolean>`login_attempts.pending_at < ${abandoned}`
    return db
      .insertInto('login_attempts')
      .values({ bucket, failures: 0, pending: 1, pending_at: now, blocked_until: 0 })
      .onConflict((conflict) =>
        conflict
          .column('bucket')
          .doUpdateSet({
            failures: sql`login_attempts.failures + case when ${isAbandoned} then login_attempts.pending else 0 end`,
            pending: sql`case when ${isAbandoned} then 1 else login_attempts.pending + 1 end`,
            pending_at: now,
          })
          .where((eb) =>
            eb.or([
              eb('login_attempts.blocked_until', '<=', now),
              eb('login_attempts.blocked_until', '>', now + latestEnd),
            ]),
          )
          .where((eb) =>
            eb.or([
              eb('login_attempts.pending', '=', 0),
              isAbandoned,
              sql<boolean>`login_attempts.failures + login_attempts.pending < ${failuresBeforeDelay}`,
            ]),
          ),
      )
      .returning('bucket')
      .compile()
  }

  const settled = sql<number>`case when pending > 0 then pending - 1 else 0 end`

  const countFailure = (bucket: string, now: number) => {
    const start = sql<number>`cast(${now} as bigint)`
    const end = loginDelays.entries().reduce(
      (otherwise, [step, delay]) =>
        sql<number>`case when failures >= ${sql.lit(failuresBeforeDelay - 1 + step)}
          then ${start} + ${sql.lit(delay)} else ${otherwise} end`,
      sql<number>`0`,
    )
    return db
      .updateTable('login_attempts')
      .set({
        failures: sql`failures + 1`,
        pending: settled,
        blocked_until: end,
      })
      .where('bucket', '=', bucket)
      .compile()
  }

  const forgive = (bucket: string) =>
    db
      .updateTable('login_attempts')
      .set({ failures: 0, blocked_until: 0, pending: settled })
      .where('bucket', '=', bucket)
      .compile()

  const remember = (userKey: string, address: string, now: number) =>
    db
      .insertInto('login_origins')
      .values({ account: userKey, address, last_at: now })
      .onConflict((conflict) =>
        conflict.columns(['account', 'address']).doUpdateSet({ last_at: now }),
      )
      .compile()

  return {
    async begin(userKey, address, now) {
      const bucket = await findBucket(userKey, address)
      const [outcome] = await database.commit([admit(bucket, now)])
      if (outcome && outcome.rows.length > 0) return { verdict: 'admitted', bucket }
      const row = await db
        .selectFrom('login_attempts')
        .where('bucket', '=', bucket)
        .select('blocked_until')
        .executeTakeFirst()
      return { verdict: row && row.blocked_until > now ? 'refused' : 'busy' }
    },

    async settle(bucket, userKey, address, success, now) {
      await database.commit(
        success ? [forgive(bucket), remember(userKey, address, now)] : [countFailure(bucket, now)],
      )
    },

    async release(bucket) {
      await database.commit([
        db
          .updateTable('login_attempts')
          .set({ pending: settled })
          .where('bucket', '=', bucket)
          .compile(),
      ])
    },

    async listAddresses(userKey, since) {
      const origins = await db
        .selectFrom('login_origins')
        .where('account', '=', userKey)
        .where('last_at', '>=', since)
        .select('address')
        .limit(mostAddresses)
        .execute()
      return origins.map(({ address }) => address)
    },

    async purgeIdle(now) {
      const idle = db.deleteFrom('login_attempts').where('bucket', 'in', (eb) =>
        eb
          .selectFrom('login_attempts')
          .select('bucket')
          .where('pending_at', '<', now - failuresForgottenAfter)
          .limit(purgeBatchSize),
      )
      const unused = db.deleteFrom('login_origins').where((eb) =>
        eb(
          eb.refTuple('account', 'address'),
          'in',
          eb
            .selectFrom('login_origins')
            .select(['account', 'address'])
            .where('last_at', '<', now - originsForgottenAfter)
            .limit(purgeBatchSize)
            .$asTuple('account', 'address'),
        ),
      )
      await deleteInBatches(database, idle.compile())
      await deleteInBatches(database, unused.compile())
    },
  }
}
