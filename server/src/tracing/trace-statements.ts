import type { Tracer } from '../domain/tracer.ts'
import type { ThreadDatabase } from '../storage/database.ts'

const systems = { sqlite: 'sqlite', postgres: 'postgresql' } as const

/** The table of a statement. The text itself is left out, because it may contain values. */
const tableOf = (sql: string) => /\b(?:from|into|update) "?([a-z_]+)\b/.exec(sql)?.[1]

/** Records each statement as a child of the request or sync that runs it. */
export function traceStatements(database: ThreadDatabase, tracer: Tracer): void {
  database.observe(({ kind, sql, startedAt, isError }) => {
    const isCommit = kind === 'commit' || kind === 'servers'
    const verb = isCommit ? 'commit' : (/^\w+/.exec(sql ?? '')?.[0].toLowerCase() ?? kind)
    const table = isCommit || sql === undefined ? undefined : tableOf(sql)
    const attributes = {
      'db.system.name': systems[database.engine],
      'db.operation.name': verb,
      ...(table !== undefined && { 'db.collection.name': table }),
      'muster.statement.kind': kind,
    }
    const name = table === undefined ? verb : `${verb} ${table}`
    tracer.note({ name, kind: 'client', attributes, isError }, startedAt)
  })
}
