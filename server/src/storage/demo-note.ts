import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

const name = 'demo'

/** How far a demo has come. */
export interface DemoNote {
  readonly seed: number
  readonly servers: number
  /** So many of them are in. */
  readonly loaded: number
  /** The moment as of which the fleet is kept. */
  readonly moment: number
  /** Whether its people were made: whom the operator takes away then stays away. */
  readonly hasPeople: boolean
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
