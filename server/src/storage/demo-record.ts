import type { Kysely } from 'kysely'
import type { DatabaseReader, DatabaseWriter, Statement } from './database.ts'
import { listTableNames } from './migrations/engine.ts'
import { findSetting, removeSetting, storeSetting } from './stored-settings.ts'
import type { Tables } from './tables.ts'

const name = 'demo'

/** How a demo was created. */
export interface DemoRecord {
  /** The version of the demo's generator; the first ones did not store it. */
  readonly version?: number
  readonly seed: number
  readonly servers: number
  /** Whether its users were created: those that an operator deletes later stay deleted. */
  readonly hasPeople: boolean
  /** Whether its accounts were attached; likewise. */
  readonly hasAccounts: boolean
}

/** Undefined if the database has no demo. */
export async function findDemoRecord(db: Kysely<Tables>): Promise<DemoRecord | undefined> {
  const value = await findSetting(db, name)
  return value === undefined ? undefined : (JSON.parse(value) as DemoRecord)
}

/** Whether the database has a demo already, or nothing but the initial data. */
export async function canHoldDemo(db: Kysely<Tables>): Promise<boolean> {
  const tables = await listTableNames(db)
  if (!tables.has('settings') || (await findDemoRecord(db))) return true
  const made = { domains: 1, projects: 1, users: 1, servers: 0, cloudaccounts: 0 }
  for (const [table, most] of Object.entries(made)) {
    if (!tables.has(table)) continue
    const rows = await db
      .selectFrom(table as keyof typeof made)
      .select('id')
      .limit(most + 1)
      .execute()
    if (rows.length > most) return false
  }
  return true
}

export async function storeDemoRecord(
  database: DatabaseReader & DatabaseWriter,
  record: DemoRecord,
): Promise<void> {
  await database.commit([storeSetting(database.db, name, JSON.stringify(record))])
}

export const removeDemoRecord = (db: Kysely<Tables>): Statement => removeSetting(db, name)
