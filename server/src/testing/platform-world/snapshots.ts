import { CompiledQuery } from 'kysely'
import type { Database } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'
import { ownTables, rowText } from '../table-rows.ts'

type Table = keyof Tables

/**
 * How it goes with accounts is noted by whoever runs them, whoever asks for what meanwhile; and
 * numbers are taken ahead.
 */
const passing = new Set(['account_syncs', 'fleet_numbers'])

/** The rows of each table as one text; of the audit log, which only grows, how many there are. */
type Snapshot = ReadonlyMap<Table, string>

export type TakeSnapshot = (tables?: readonly Table[]) => Promise<Snapshot>

/** What `dumpTables` tells, for those who ask hundreds of times: all or some of the tables. */
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

/** The tables in which something is different. */
export const changedTables = (earlier: Snapshot, later: Snapshot): Table[] =>
  [...later.keys()].filter((name) => earlier.get(name) !== later.get(name)).sort()
