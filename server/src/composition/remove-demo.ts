import { sql } from 'kysely'
import { ConfigError } from '../config/parsers.ts'
import type { EventRecord } from '../domain/audit/event.ts'
import { clearDemo } from '../storage/clear-demo.ts'
import type { Database } from '../storage/database.ts'
import { removeDemoPasswords } from '../storage/demo-passwords.ts'
import { findDemoRecord, removeDemoRecord } from '../storage/demo-record.ts'
import { createInsertEvent } from '../storage/event-store.ts'

/** Removes the demo's servers, accounts and domains with all that belongs to them. */
export async function removeDemo(database: Database, event: EventRecord) {
  // oxlint-disable-next-line no-restricted-imports -- only to know what belongs to the demo
  const { demoDomains, provider } = await import('@muster/simulator/demo')
  const { db } = database
  const record = await findDemoRecord(db)
  if (!record) throw new ConfigError('this database has no demo')
  if (await hasRealData(database, provider)) {
    throw new ConfigError('this database has real servers or cloud accounts beside the demo')
  }
  await clearDemo(database)
  const ids = demoDomains.map(({ id }) => id)
  const users = db.selectFrom('users').select('id').where('domain_id', 'in', ids)
  // The record is removed last: if this is interrupted, it can be repeated.
  await database.commitIdentity([
    db.deleteFrom('sessions').where('user_id', 'in', users).compile(),
    db.deleteFrom('domains').where('id', 'in', ids).compile(),
    removeDemoPasswords(db),
    removeDemoRecord(db),
    createInsertEvent(db)(event),
  ])
  return record
}

async function hasRealData({ db }: Database, provider: string): Promise<boolean> {
  const { rows } = await sql`select 1 from servers where is_emulated = 0
    union all select 1 from cloudaccounts where provider <> ${provider} limit 1`.execute(db)
  return rows.length > 0
}
