import { passwordUndoDays } from '@muster/contract'
import { sql } from 'kysely'
import { createEvent } from '../../domain/audit/create-event.ts'
import { required, type DatabaseReader, type IdentityWriter } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { Violation } from '../violation.ts'

const undoTime = passwordUndoDays * 86_400_000

/** Erases passwords that a domain has refused for so long that `on` does not bring them back. */
export function createErasePasswords({ db, commitIdentity }: DatabaseReader & IdentityWriter) {
  const insertEvent = createInsertEvent(db)

  return async function erasePasswords(now: number): Promise<void> {
    const refused = db
      .selectFrom('users')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .where('local_passwords', '=', 'break_glass')
      .where('local_passwords_since', '<=', now - undoTime)
      .where('break_glass', '=', 0)
      .where('password_hash', 'is not', null)
    const domains = await refused
      .select(['domains.id', 'domains.name', (eb) => eb.fn.countAll<number | string>().as('count')])
      .groupBy(['domains.id', 'domains.name'])
      .execute()
    if (domains.length === 0) return
    const erase = db
      .updateTable('users')
      .set({
        password_hash: null,
        // Without the password, nothing else tells since when the user depends on a provider.
        password_refused_at: sql<number | null>`(select case
          when users.password_refused_at > domains.local_passwords_since then users.password_refused_at
          else domains.local_passwords_since end from domains where domains.id = users.domain_id)`,
      })
      .where('id', 'in', refused.select('users.id'))
      .returning('id')
      .compile()
    const events = domains.map(({ id, name, count }) =>
      insertEvent(
        createEvent({
          user: undefined,
          origin: { ip: '', requestId: '', isConfidential: true },
          action: {
            action: 'erase_passwords',
            targetType: 'domain',
            targetId: id,
            targetName: name,
            scope: { kind: 'domain', domainId: id },
            changes: { passwords: [count, 0] },
          },
          result: 'success',
          time: now,
        }),
      ),
    )
    try {
      await commitIdentity([required(erase, 'passwords'), ...events])
    } catch (error) {
      // Another process erased them, or the rule was lifted meanwhile.
      if (!(error instanceof Violation)) throw error
    }
  }
}
