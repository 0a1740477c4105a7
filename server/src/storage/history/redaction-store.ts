import { sql } from 'kysely'
import type { RedactionStore } from '../../domain/inventory/history/redact-history.ts'
import type { Server } from '@muster/contract'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import type { Sql } from '../sql-parts.ts'
import { packVersion, unpackVersion } from './packed-version.ts'
import { redactTasks } from './redact-tasks.ts'
import { redactDiff, redactEvent, type Replace } from './redact-values.ts'

const batchSize = 200

interface Replacement {
  readonly field: string
  readonly replace: Replace
}

/** The same object if the field does not have the value. */
function redactVersion(server: Server, field: string, replace: Replace): Server {
  const { metadata } = server
  if (field in metadata) {
    const value = replace(metadata[field]) as string
    return value === metadata[field]
      ? server
      : { ...server, metadata: { ...metadata, [field]: value } }
  }
  const before = (server as unknown as Readonly<Record<string, unknown>>)[field]
  const after = replace(before)
  return after === before ? server : { ...server, [field]: after }
}

interface ChangeRow {
  readonly revision: number
  readonly server: number
  readonly diff: string | null
  readonly former_version: Uint8Array | null
}

/** Replaces values in stored changes and events. Each batch is one commit; a repeated request does the rest. */
export function createRedactionStore(database: DatabaseReader & DatabaseWriter): RedactionStore {
  const { engine, db } = database
  const insertEvent = createInsertEvent(db)
  const contains = (column: string, text: string): Sql =>
    engine === 'postgres'
      ? sql`position(${text} in ${sql.ref(column)}) > 0`
      : sql`instr(${sql.ref(column)}, ${text}) > 0`
  /** Whether a column with JSON can have the value. */
  const has = (column: string, value: string): Sql =>
    contains(column, JSON.stringify(value).slice(1, -1))

  async function numbersOf(id: string): Promise<number[]> {
    const { rows } = await sql<{
      server: number
    }>`select seq as server from servers where id = ${id}
      union select server from former_servers where id = ${id}`.execute(db)
    return rows.map(({ server }) => server)
  }

  /** Commits what a batch changes, and returns how many rows that are. */
  async function commitAll(statements: readonly (Statement | undefined)[]): Promise<number> {
    const found = statements.filter((statement) => statement !== undefined)
    if (found.length > 0) await database.commit(found)
    return found.length
  }

  function redactChange(
    { revision, server, diff, former_version: former }: ChangeRow,
    { field, replace }: Replacement,
  ): Statement | undefined {
    const version = former && unpackVersion(former)
    const redactedVersion = version && redactVersion(version, field, replace)
    const redactedDiff = diff && redactDiff(diff, [field], replace)
    if (redactedDiff === diff && redactedVersion === version) return undefined
    return db
      .updateTable('server_changes')
      .set({
        diff: redactedDiff,
        former_version: redactedVersion && packVersion(redactedVersion),
      })
      .where('revision', '=', revision)
      .where('server', '=', server)
      .compile()
  }

  return {
    async redact(serverId, { field, value }, replacement, event) {
      const replace: Replace = (old) =>
        typeof old === 'string' ? old.replaceAll(value, () => replacement) : old
      const servers = await numbersOf(serverId)
      if (servers.length === 0) return undefined
      await database.commit([insertEvent(event)])

      let changes = 0
      let last = Number.MIN_SAFE_INTEGER
      for (;;) {
        const rows = await db
          .selectFrom('server_changes')
          .select(['revision', 'server', 'diff', 'former_version'])
          .where('server', 'in', servers)
          .where('revision', '>', last)
          .where(sql<boolean>`(${has('diff', value)} or former_version is not null)`)
          .orderBy('revision')
          .limit(batchSize)
          .execute()
        changes += await commitAll(rows.map((row) => redactChange(row, { field, replace })))
        last = rows.at(-1)?.revision ?? last
        if (rows.length < batchSize) break
      }

      let events = 0
      let lastEvent = ''
      for (;;) {
        const rows = await db
          .selectFrom('events')
          .select(['id', 'changes', 'target_name'])
          .where('target_type', '=', 'server')
          .where('target_id', '=', serverId)
          .where(sql<boolean>`(${has('changes', value)} or ${contains('target_name', value)})`)
          .where('id', '>', lastEvent)
          .orderBy('id')
          .limit(batchSize)
          .execute()
        const redacted = await commitAll(
          rows.map(({ id, changes: json, target_name: name }) => {
            const target_name = field === 'name' ? (replace(name) as string) : name
            const redactedChanges = redactEvent(json, field, replace)
            if (redactedChanges === json && target_name === name) return undefined
            const row = db.updateTable('events').set({ changes: redactedChanges, target_name })
            return row.where('id', '=', id).compile()
          }),
        )
        lastEvent = rows.at(-1)?.id ?? lastEvent
        events += redacted
        if (rows.length < batchSize) break
      }
      const isStored = (column: string) => has(column, value)
      await redactTasks(database, { serverId, field, replace, has: isStored })
      if (field === 'name') {
        await database.commit([
          sql`update check_violations set name = replace(name, ${value}, ${replacement})
            where subject_kind = 'server' and subject_id = ${serverId}`.compile(db),
          sql`update tasks set server_name = replace(server_name, ${value}, ${replacement})
            where server_id = ${serverId}`.compile(db),
        ])
      }
      // Each process asks for it before it reads a moment.
      await database.commit([
        db
          .updateTable('fleet_numbers')
          .set((row) => ({ redactions: row('redactions', '+', 1) }))
          .compile(),
      ])
      return { changes, events }
    },
  }
}

export async function countRedactions({ db }: DatabaseReader): Promise<number> {
  const { redactions } = await db
    .selectFrom('fleet_numbers')
    .select('redactions')
    .executeTakeFirstOrThrow()
  return redactions
}
