import { CompiledQuery } from 'kysely'
import type { Database } from '../storage/database.ts'
import type { Tables } from '../storage/tables.ts'

type Table = keyof Tables

/** The rows of each table as one text; of the audit log, which only grows, how many there are. */
export type Snapshot = ReadonlyMap<Table, string>

export type TakeSnapshot = (tables?: readonly Table[]) => Promise<Snapshot>

/** What `dumpTables` tells, for those who ask hundreds of times: all or some of the tables. */
export async function createSnapshots({ read }: Database): Promise<TakeSnapshot> {
  const found = await read.introspection.getTables()
  const tables = found.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'))
  const queries = new Map(
    tables.map((name) => [
      name as Table,
      CompiledQuery.raw(
        name === 'events' ? 'select count(*) as total from events' : `select * from "${name}"`,
      ),
    ]),
  )

  async function describe(table: Table): Promise<[Table, string]> {
    const { rows } = await read.executeQuery(queries.get(table) as CompiledQuery)
    const texts = rows.map((row) => JSON.stringify(row))
    return [table, texts.sort().join('\n')]
  }

  return async function takeSnapshot(wanted = [...queries.keys()]) {
    return new Map(await Promise.all(wanted.map(describe)))
  }
}

/** The tables in which something is different. */
export const changedTables = (earlier: Snapshot, later: Snapshot): Table[] =>
  [...later.keys()].filter((name) => earlier.get(name) !== later.get(name)).sort()
