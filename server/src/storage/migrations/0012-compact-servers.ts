import { sql, type Kysely } from 'kysely'
import { engineOf } from './engine.ts'

/** The rendered texts of a server, compressed. NULL for servers that an earlier version stored. */
async function addPackedDocuments(db: Kysely<unknown>): Promise<void> {
  const isPostgres = engineOf(db) === 'postgres'
  await db.schema
    .alterTable('server_documents')
    .addColumn('packed', isPostgres ? 'bytea' : 'blob')
    .execute()
  // PostgreSQL would try to compress it again.
  if (isPostgres)
    await sql`alter table server_documents alter column packed set storage external`.execute(db)
}

const trigrams = sql.raw(
  `content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'`,
)

/**
 * SQLite's trigram index in two tables. That of ids and of starts of words has no positions, which
 * take most of the space. The texts of stored servers are not separated yet: all go to the first.
 */
async function createSearchIndex(db: Kysely<unknown>): Promise<void> {
  await sql`drop table server_search`.execute(db)
  await sql`create virtual table server_search using fts5(text, ${trigrams})`.execute(db)
  await sql`create virtual table server_search_ids using fts5(text, detail = none, ${trigrams})`.execute(
    db,
  )
  for (const [table, column] of [
    ['server_search', 'text'],
    ['server_search_ids', 'starts'],
  ] as const) {
    // Bytes that are sorted at once. With SQLite's default a commit of 1,000 servers makes ten segments.
    await sql`insert into ${sql.table(table)} (${sql.ref(table)}, rank) values ('hashsize', 16777216)`.execute(
      db,
    )
    await sql`insert into ${sql.table(table)} (rowid, text)
      select server, ${sql.ref(column)} from server_texts join servers on seq = server where state = 0`.execute(
      db,
    )
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await addPackedDocuments(db)
  if (engineOf(db) === 'sqlite') await createSearchIndex(db)
}
