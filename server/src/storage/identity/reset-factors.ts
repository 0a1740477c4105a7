import type { EventRecord } from '../../domain/audit/event.ts'
import type { DatabaseReader, IdentityWriter } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { toFactorStatement } from './factor-statements.ts'
import { forgetFailures } from './login-guard.ts'

/** Who reset factors on the host, for the user. */
const onHost = 'muster admin'

/** Removes the second factors of a user, ends all sessions and tokens, and resets the login delay. */
export function createResetFactors({ db, commitIdentity }: DatabaseReader & IdentityWriter) {
  const insertEvent = createInsertEvent(db)
  return async function resetFactors(userId: string, event: EventRecord) {
    const [factors, codes, tokens, sessions] = await commitIdentity([
      toFactorStatement(db, { do: 'delete-of', userId }),
      toFactorStatement(db, { do: 'delete-codes-of', userId }),
      db.deleteFrom('tokens').where('user_id', '=', userId).compile(),
      db.deleteFrom('sessions').where('user_id', '=', userId).compile(),
      toFactorStatement(db, { do: 'note-reset', userId, at: event.time, by: onHost }),
      forgetFailures(db, userId),
      insertEvent(event),
    ])
    return {
      factors: factors?.changes ?? 0,
      recoveryCodes: codes?.changes ?? 0,
      tokens: tokens?.changes ?? 0,
      sessions: sessions?.changes ?? 0,
    }
  }
}
