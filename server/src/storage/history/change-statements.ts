import type { Server } from '@muster/contract'
import { isExpected, kindsOf, toBits } from '../../domain/inventory/history/change-kinds.ts'
import { diffServers, type ServerDiff } from '../../domain/inventory/history/server-diff.ts'
import type { EventRecord } from '../../domain/audit/event.ts'
import { ownNotesOf } from '../../domain/inventory/own-fields.ts'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import { microsecondsOf } from '../../domain/query/parse-timestamp.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { code, type ServerEntry } from '../servers/rows.ts'
import type { Codes } from '../servers/text-dictionary.ts'
import { packVersion } from './packed-version.ts'

const columns = [
  'revision',
  'server',
  'kinds',
  'account',
  'project',
  'domain',
  'former_project',
  'former_domain',
  'former_updated_at',
  'source_time',
  'task_id',
  'request_id',
  'diff',
  'former_version',
] as const

/** Why servers change, beside the report of a source. */
export interface ChangeCause {
  /** The task that the server shows, before or after. */
  readonly taskId?: string
  readonly requestId?: string
  readonly isReported: boolean
}

/** The request of a change is that of the event about the server. */
export function causesOf(
  writes: readonly ServerWrite[],
  events: readonly EventRecord[],
  isReported: boolean,
): ReadonlyMap<string, ChangeCause> {
  const requests = new Map(events.map((event) => [event.target_id, event.request_id]))
  return new Map(
    writes.map(({ stored, server }) => {
      const requestId = requests.get(server.id) ?? ''
      const taskId = ownNotesOf(server).task_id ?? (stored && ownNotesOf(stored.server).task_id)
      const cause = {
        ...(requestId !== '' && { requestId }),
        ...(taskId !== undefined && { taskId }),
        isReported,
      }
      return [server.id, cause]
    }),
  )
}

/**
 * Each of so many changes of a server is stored with the whole version before it, so that earlier versions are
 * rebuilt without all later changes. That is 25 bytes per change.
 */
const changesPerVersion = 64

/** The former owner, if it differs. */
const formerCode = (before: string | undefined, after: string, codes: Codes) =>
  before === undefined || before === after ? null : code(codes, before)

/** Such as a server that was written because another version of Muster had rendered it. */
const isSameVersion = (before: Server, after: Server, diff: ServerDiff) =>
  before.update_version === after.update_version &&
  before.updated_at === after.updated_at &&
  Object.keys(diff).every((key) => key === 'update_version')

function changeRow(
  { write: { stored, server, sourceTime }, seq }: ServerEntry,
  revision: number,
  codes: Codes,
  { taskId, requestId, isReported }: ChangeCause,
): readonly unknown[] | undefined {
  const before = stored?.server
  const diff = before ? diffServers(before, server, stored.newFields) : {}
  const hasDiff = Object.keys(diff).length > 0
  if (before && isSameVersion(before, server, diff)) return undefined
  const isGone = before !== undefined && server.deleted && !before.deleted
  const hasVersion = isGone || (before && server.update_version % changesPerVersion === 0)
  const kinds = kindsOf(before, server, diff)
  const isCaused = !isReported || (before !== undefined && isExpected(before.status, kinds))
  return [
    revision,
    seq,
    toBits(kinds),
    code(codes, server.account_id),
    code(codes, server.project_id),
    code(codes, server.domain_id),
    formerCode(before?.project_id, server.project_id, codes),
    formerCode(before?.domain_id, server.domain_id, codes),
    before ? microsecondsOf(before.updated_at ?? '') : null,
    sourceTime === undefined ? null : microsecondsOf(sourceTime),
    isCaused ? (taskId ?? null) : null,
    requestId ?? null,
    hasDiff && !isGone ? JSON.stringify(diff) : null,
    hasVersion ? packVersion(before) : null,
  ]
}

const unknownCause: ChangeCause = { isReported: true }

/** Builds the statements that record what a commit changes of servers. */
export function createChangeStatements(database: Pick<DatabaseReader, 'engine' | 'db'>) {
  const insertChanges = createInsertRows(database, 'server_changes', columns, 'refuse')

  return function changeStatements(
    entries: readonly ServerEntry[],
    revision: number,
    codes: Codes,
    causes: ReadonlyMap<string, ChangeCause>,
  ): Statement[] {
    const rows = entries
      .map((entry) =>
        changeRow(entry, revision, codes, causes.get(entry.server.id) ?? unknownCause),
      )
      .filter((row) => row !== undefined)
    return insertChanges(rows)
  }
}
