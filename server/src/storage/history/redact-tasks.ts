import { sql } from 'kysely'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import type { Sql } from '../sql-parts.ts'
import { redactJson, type Replace } from './redact-values.ts'

/** What a step sends and is answered, under the names of the source. */
const sentKeys = ['data', 'answer', 'lost']

interface Redaction {
  readonly serverId: string
  readonly field: string
  readonly replace: Replace
  /** Whether a column with JSON can have the value. */
  readonly has: (column: string) => Sql
}

/** Replaces a value in the tasks of a server that ended, and in the batches that they belong to. */
export async function redactTasks(
  { db, commit }: DatabaseReader & DatabaseWriter,
  { serverId, field, replace, has }: Redaction,
): Promise<void> {
  const tasks = await db
    .selectFrom('tasks')
    .select(['id', 'params', 'plan', 'error', 'error_values'])
    .where('server_id', '=', serverId)
    .where('status', 'not in', ['queued', 'running'])
    .where(sql<boolean>`(${has('params')} or ${has('plan')})`)
    .execute()
  const batches = await db
    .selectFrom('batches')
    .select(['id', 'params'])
    .where('id', 'in', (eb) =>
      eb.selectFrom('tasks').select('batch_id').where('server_id', '=', serverId),
    )
    .where('finished_at', 'is not', null)
    .where(sql<boolean>`${has('params')}`)
    .execute()
  const events = await Promise.all(
    batches.map(({ id }) =>
      db
        .selectFrom('events')
        .select(['id', 'changes'])
        .where('target_type', '=', 'batch')
        .where('target_id', '=', id)
        .execute(),
    ),
  )
  const statements = [
    ...tasks.flatMap(({ id, params, plan, error, error_values }) => {
      const redacted = redactJson(params, [field], replace)
      if (redacted === params) return []
      return db
        .updateTable('tasks')
        .set({
          params: redacted,
          plan: redactJson(plan, [field, ...sentKeys], replace),
          // The source may quote what it refused.
          error: replace(error) as string,
          error_values: redactJson(
            error_values,
            Object.keys(JSON.parse(error_values || '{}') as object),
            replace,
          ),
        })
        .where('id', '=', id)
        .compile()
    }),
    ...batches.map(({ id, params }) =>
      db
        .updateTable('batches')
        .set({ params: redactJson(params, [field], replace) })
        .where('id', '=', id)
        .compile(),
    ),
    ...events.flat().map(({ id, changes }) =>
      db
        .updateTable('events')
        .set({ changes: redactJson(changes, [field], replace) })
        .where('id', '=', id)
        .compile(),
    ),
  ]
  if (statements.length > 0) await commit(statements)
}
