import type { CreateTableBuilder, Kysely } from 'kysely'
import { withId, withText } from './column-types.ts'

/** The columns of a resource besides `id`, `created_at` and `updated_at`, which all have. */
interface ResourceColumns {
  /** Each with a column for its folded form, if that differs. */
  readonly texts: readonly string[]
  readonly numbers?: readonly string[]
  readonly booleans?: readonly string[]
  readonly timestamps?: readonly string[]
  /**
   * For items that belong to a server, of which several servers can have one with the same id: the column with
   * the number of the server. Migration 0022 had the id of the server instead.
   */
  readonly parent?: 'server' | 'guest_id'
}

/** Creates the table of a resource of the inventory, with the indexes that its operations need. */
export async function createResourceTable(
  { schema }: Kysely<unknown>,
  name: string,
  { texts, numbers = [], booleans = [], timestamps = [], parent }: ResourceColumns,
): Promise<void> {
  const withParent = (builder: CreateTableBuilder<string, string>) =>
    parent === 'server'
      ? builder.addColumn('server', 'integer', (column) => column.notNull())
      : builder
          .addColumn('guest_id', 'text', (column) => column.notNull())
          .addColumn('guest_id_folded', 'text')
  const keyed = (builder: CreateTableBuilder<string>): CreateTableBuilder<string, string> =>
    parent === undefined
      ? withId(builder)
      : withParent(builder)
          .addColumn('id', 'text', (column) => column.notNull())
          .addPrimaryKeyConstraint(parent === 'server' ? `${name}_server_key` : `${name}_key`, [
            parent,
            'id',
          ])
  let table: CreateTableBuilder<string, string> = schema
    .createTable(name)
    .$call(keyed)
    .addColumn('id_folded', 'text')
    .addColumn('created_at', 'bigint')
    .addColumn('updated_at', 'bigint')
  for (const column of texts) table = withText(table, column).addColumn(`${column}_folded`, 'text')
  for (const column of numbers) {
    table = table.addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
  }
  for (const column of booleans) {
    table = table.addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(1))
  }
  for (const column of timestamps) table = table.addColumn(column, 'bigint')
  await table.execute()
  const indexed = parent === undefined ? ['name'] : ['id', 'name']
  for (const column of indexed) {
    await schema.createIndex(`${name}_${column}`).on(name).column(column).execute()
  }
}
