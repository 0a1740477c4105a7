import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { PlatformError } from '../../domain/error.ts'
import { required, type DatabaseReader, type DatabaseWriter, type Statements } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'

/** An estimate is trusted this long: other processes issue tokens too. */
const estimateLife = 1_000
/** Closer to the limit than this, tokens are counted in the transaction that adds one. */
const exactWithin = 5_000
const mostEstimates = 10_000
/** Any number, as long as all processes use the same. */
const lockClass = 8_401

export const tokenLimitReached = 'token-limit'

interface Count {
  readonly userId: string
  readonly now: number
}

/**
 * Limits the live tokens of a user. Counting thousands of rows at every login would be slow, so the
 * number is estimated, from above, while it is far from the limit. Near the limit it is exact, also
 * between processes on PostgreSQL: a lock per user makes their logins take turns.
 */
export function createTokenLimit(database: DatabaseReader & DatabaseWriter, mostTokens: number) {
  const { db } = database
  const estimates = new LRUCache<string, { count: number; readonly countedAt: number }>({
    maxSize: mostEstimates,
    sizeCalculation: () => 1,
  })

  /** Never reads more rows of the index than the limit. */
  const liveTokens = ({ userId, now }: Count) =>
    db.selectFrom(
      db
        .selectFrom('tokens')
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .select('expires_at')
        .limit(mostTokens)
        .as('live'),
    )
  const count = sql<number>`count(*)`
  const requireRoom = createStatementTemplate<Count>(['userId', 'now'], (of) =>
    liveTokens(of).select(count.as('live')).having(count, '<', mostTokens).compile(),
  )
  const lockUser = createStatementTemplate<{ userId: string }>(['userId'], ({ userId }) =>
    sql`select pg_advisory_xact_lock(${sql.lit(lockClass)}, hashtext(${userId}))`.compile(db),
  )

  async function estimate(of: Count) {
    const known = estimates.get(of.userId)
    if (known && Math.abs(of.now - known.countedAt) < estimateLife) return known
    const { live } = await liveTokens(of).select(count.as('live')).executeTakeFirstOrThrow()
    const fresh = { count: live, countedAt: of.now }
    estimates.set(of.userId, fresh)
    return fresh
  }

  return {
    /** Statements that enforce the limit when a token is written. Counts the token in any case. */
    async statementsFor(of: Count): Promise<Statements> {
      if (mostTokens === 0) return []
      const known = await estimate(of)
      known.count += 1
      if (mostTokens - known.count >= exactWithin) return []
      const room = required(requireRoom(of), tokenLimitReached)
      return database.engine === 'postgres' ? [lockUser(of), room] : [room]
    },

    /** The response to a login beyond the limit. Live tokens are never revoked to make room. */
    async toRefusal({ userId, now }: Count): Promise<PlatformError> {
      const first = await db
        .selectFrom('tokens')
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy('expires_at')
        .select('expires_at')
        .executeTakeFirst()
      const wait = Math.ceil(((first?.expires_at ?? now) - now) / 1_000)
      return new PlatformError(
        'TooManyRequests',
        `This user has ${mostTokens} valid tokens, the maximum of --tokens-per-user. Revoke one, or wait until one expires.`,
        { retryAfter: Math.max(1, wait) },
      )
    },
  }
}
