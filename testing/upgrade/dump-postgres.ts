import pg from 'pg'

/** Rows of a table as one JSON array, which keeps every type as PostgreSQL itself writes it. */
const tag = '$rows$'

/**
 * Writes a database as SQL statements: the embedded PostgreSQL has no pg_dump. It knows what Muster uses,
 * which is extensions, tables, constraints and indexes.
 */
export async function dumpPostgres(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const list = async (query: string, ...values: unknown[]): Promise<string[]> =>
    (await client.query<{ line: string }>(query, values)).rows.map(({ line }) => line)

  const extensions = await list(
    `select format('create extension if not exists %I', extname) as line
     from pg_extension where extname <> 'plpgsql'`,
  )
  const tables = await list(
    `select relname as line from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  )
  const created: string[] = []
  const rows: string[] = []
  for (const table of tables) {
    const columns = await list(
      `select concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
         'default ' || pg_get_expr(adbin, adrelid), case when attnotnull then 'not null' end) as line
       from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
      `"${table}"`,
    )
    created.push(`create table "${table}" (${columns.join(', ')})`)
    const [content] = await list(`select json_agg(r)::text as line from "${table}" r`)
    if (content !== undefined && content !== null) {
      rows.push(
        `insert into "${table}" select * from json_populate_recordset(null::"${table}", ${tag}${content}${tag})`,
      )
    }
  }
  // Foreign keys need the unique keys that they lead to; NOT NULL is with the column.
  const constraints = await list(
    `select format('alter table %s add constraint %I %s', conrelid::regclass, conname,
       pg_get_constraintdef(oid)) as line
     from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
     order by contype = 'f', conname`,
  )
  const indexes = await list(
    `select indexdef as line from pg_indexes where schemaname = 'public' and indexname not in
       (select conname from pg_constraint where connamespace = 'public'::regnamespace)
     order by indexname`,
  )
  await client.end()
  const statements = [...extensions, ...created, ...rows, ...constraints, ...indexes]
  return statements.map((statement) => `${statement};\n`).join('')
}
