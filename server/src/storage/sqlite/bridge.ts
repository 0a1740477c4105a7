import type { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteAdapter, SqliteDialect, type Logger, type SqliteDatabase } from 'kysely'
import type { Tables } from '../tables.ts'
import { createPrepare, type Prepare } from './file.ts'

/** SQLite rolls back schema changes too, so an interrupted migration leaves nothing behind. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** Adapts `node:sqlite` to the driver interface that Kysely's SQLite dialect expects. */
export function createKysely(
  database: DatabaseSync,
  prepare: Prepare = createPrepare(database),
  log?: Logger,
): Kysely<Tables> {
  const bridge: SqliteDatabase = {
    close: () => database.close(),
    prepare(text) {
      // SQLite ends the transaction itself after some errors, which a failed rollback would hide.
      const isOver = text === 'rollback' && !database.isTransaction
      const statement = prepare(isOver ? 'select 1' : text)
      const bind = (parameters: readonly unknown[]) => parameters as (string | number | null)[]
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...bind(parameters)),
        run: (parameters) => statement.run(...bind(parameters)),
        iterate: (parameters) => statement.iterate(...bind(parameters)),
      }
    },
  }
  const dialect = new TransactionalDialect({ database: bridge })
  return new Kysely<Tables>({ dialect, ...(log && { log }) })
}
