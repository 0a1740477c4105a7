import { CompiledQuery } from 'kysely'
import type { Database } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'
import { ownTables, rowText } from '../table-rows.ts'

type Table = keyof Tables

/** Tables that change in the background: the sync state of accounts, and reserved numbers. */
const passing = new Set([
  'account_syncs',
  'account_sync_runs',
  'account_observations',
  'account_gaps',
  'fleet_numbers',
])

/** The rows of each table as one text; for the audit log, which only grows, their number. */
type Snapshot = ReadonlyMap<Table, string>

export type TakeSnapshot = (tables?: readonly Table[]) => Promise<Snapshot>

/** A faster `dumpTables` for hundreds of calls, of all or some of the tables. */
export async function createSnapshots(database: Database): Promise<TakeSnapshot> {
  const { db } = database
  const tables = (await ownTables(database)).filter(({ name }) => !passing.has(name))
  const queries = new Map(
    tables.map(({ name }) => [
      name as Table,
      CompiledQuery.raw(
        name === 'events' ? 'select count(*) as total from events' : `select * from "${name}"`,
      ),
    ]),
  )

  async function describe(table: Table): Promise<[Table, string]> {
    const { rows } = await db.executeQuery(queries.get(table) as CompiledQuery)
    const texts = rows.map((row) => rowText(row as object))
    return [table, texts.sort().join('\n')]
  }

  return async function takeSnapshot(wanted = [...queries.keys()]) {
    return new Map(await Promise.all(wanted.map(describe)))
  }
}

/** The tables that differ. */
export const changedTables = (earlier: Snapshot, later: Snapshot): Table[] =>
  [...later.keys()].filter((name) => earlier.get(name) !== later.get(name)).sort()
