import type { EventRecord } from '../../domain/audit/event.ts'
import { required, type DatabaseReader, type IdentityWriter } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { forgetFailures } from './login-guard.ts'

/** Sets the password of a user, ends all sessions and tokens of the old one, and resets the login delay. */
export function createResetPassword({ db, commitIdentity }: DatabaseReader & IdentityWriter) {
  const insertEvent = createInsertEvent(db)
  return async function resetPassword(userId: string, passwordHash: string, event: EventRecord) {
    const [, tokens, sessions] = await commitIdentity([
      required(
        db
          .updateTable('users')
          // The expiry date was that of the old password.
          .set({ password_hash: passwordHash, password_expires_at: null })
          .where('id', '=', userId)
          .compile(),
        'user',
      ),
      db.deleteFrom('tokens').where('user_id', '=', userId).compile(),
      db.deleteFrom('sessions').where('user_id', '=', userId).compile(),
      db.deleteFrom('password_links').where('user_id', '=', userId).compile(),
      forgetFailures(db, userId),
      insertEvent(event),
    ])
    return { tokens: tokens?.changes ?? 0, sessions: sessions?.changes ?? 0 }
  }
}
