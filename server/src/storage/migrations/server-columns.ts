import { sql, type Kysely } from 'kysely'
import { fold } from '../../domain/query/fold.ts'

/** How a field of servers is stored; see `storageClassOf` in servers/field-columns.ts. */
export type NewField =
  | { readonly storage: 'dictionary' | 'text'; readonly default: string }
  | { readonly storage: 'number'; readonly default: number }
  | { readonly storage: 'boolean'; readonly default: boolean }
  | { readonly storage: 'timestamp' }

/** The code of a word in the dictionary, which is added if it is missing. */
async function codeOf(db: Kysely<unknown>, word: string): Promise<number> {
  const found = await sql<{ code: number }>`select code from words where word = ${word}`.execute(db)
  const [known] = found.rows
  if (known) return known.code
  const taken = await sql<{
    word: number
  }>`update fleet_numbers set word = word + 1 returning word`.execute(db)
  const code = Number(taken.rows[0]?.word) - 1
  await sql`insert into words (code, word, folded) values (${code}, ${word}, ${fold(word)})`.execute(
    db,
  )
  return code
}

/**
 * Adds the column of a new field of servers. Stored servers get the default value of the field, so
 * that filters find them by what their documents show.
 */
export async function addServerColumn(
  db: Kysely<unknown>,
  name: string,
  field: NewField,
): Promise<void> {
  const table = () => db.schema.alterTable('servers')
  switch (field.storage) {
    case 'timestamp':
      await table().addColumn(name, 'bigint').execute()
      return
    case 'text': {
      const folded = fold(field.default)
      await table()
        .addColumn(name, 'text', (column) => column.notNull().defaultTo(field.default))
        .execute()
      // NULL stands for a text that folding does not change.
      await table()
        .addColumn(`${name}_folded`, 'text', (column) =>
          folded === field.default ? column : column.defaultTo(folded),
        )
        .execute()
      return
    }
    case 'number':
      await table()
        .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(field.default))
        .execute()
      return
    case 'dictionary':
    case 'boolean': {
      const stored =
        field.storage === 'boolean' ? Number(field.default) : await codeOf(db, field.default)
      await table()
        .addColumn(name, 'integer', (column) => column.notNull().defaultTo(stored))
        .execute()
    }
  }
}
