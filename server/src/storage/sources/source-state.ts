import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import type { SourceState, StateEntry } from '../../domain/sources/source.ts'
import { required, type DatabaseReader, type DatabaseWriter } from '../database.ts'
import { Violation } from '../violation.ts'

const columns = ['key', 'value', 'version'] as const
/** The key of the row with the account's last version. */
const counter = ''

/** What the sources of accounts store. */
export function createSourceState(database: DatabaseReader & DatabaseWriter) {
  const { db } = database

  return (accountId: string): SourceState => {
    const select = () =>
      db.selectFrom('source_state').select(columns).where('account_id', '=', accountId)

    return {
      async get(keys) {
        const found: StateEntry[] = []
        for (const part of chunk(keys)) {
          found.push(...(await select().where('key', 'in', part).execute()))
        }
        return found
      },

      changes: (after) =>
        select()
          .where('version', '>', after)
          .where('key', '<>', counter)
          .orderBy('version')
          .execute(),

      async put({ key, value, version }) {
        // The lock on the counter makes transactions commit in the order of their versions. Otherwise a reader of
        // changes could miss one.
        const count = sql`insert into source_state (account_id, key, value, version)
          values (${accountId}, ${counter}, '', 1)
          on conflict (account_id, key) do update set version = source_state.version + 1`
        const write = sql`insert into source_state (account_id, key, value, version)
          values (${accountId}, ${key}, ${value}, (select version from source_state
            where account_id = ${accountId} and key = ${counter}))
          on conflict (account_id, key) do update
          set value = excluded.value, version = excluded.version
          where source_state.version = ${version}`
        try {
          await database.commit([count.compile(db), required(write.compile(db), 'version')])
          return true
        } catch (error) {
          if (error instanceof Violation && error.kind === 'precondition') return false
          throw error
        }
      },
    }
  }
}
