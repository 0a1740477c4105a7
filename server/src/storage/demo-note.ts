import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

const name = 'demo'

/** What a demo was made as. */
export interface DemoNote {
  readonly seed: number
  readonly servers: number
  /** Whether its people were made: whom the operator takes away then stays away. */
  readonly hasPeople: boolean
  /** Whether its accounts were attached, likewise. */
  readonly hasAccounts: boolean
}

/** Undefined where there was no demo yet. */
export async function findDemoNote(read: Kysely<Tables>): Promise<DemoNote | undefined> {
  const row = await read
    .selectFrom('settings')
    .where('key', '=', name)
    .select('value')
    .executeTakeFirst()
  return row && (JSON.parse(row.value) as DemoNote)
}

export async function keepDemoNote(database: Database, note: DemoNote): Promise<void> {
  const value = JSON.stringify(note)
  await database.commit([
    database.read
      .insertInto('settings')
      .values({ key: name, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .compile(),
  ])
}
