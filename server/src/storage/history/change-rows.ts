import { sql } from 'kysely'
import { upgradeServer } from '../../domain/inventory/build-server.ts'
import { fromBits, toBits } from '../../domain/inventory/history/change-kinds.ts'
import type { ChangeRecord } from '../../domain/inventory/history/ports.ts'
import type { ServerDiff } from '../../domain/inventory/history/server-diff.ts'
import { timestampOfMicroseconds } from '../../domain/timestamp.ts'
import type { Row } from '../database.ts'
import type { Sql } from '../sql-parts.ts'
import { unpackVersion } from './packed-version.ts'

export const fromChanges = sql`from change_commits
  inner join server_changes as changed on changed.revision = change_commits.revision`

const textOf = (column: string): Sql =>
  sql`(select word from words where code = ${sql.ref(`changed.${column}`)}) as ${sql.ref(column)}`

export const changeColumns = sql.join([
  ...['time', 'position'].map((name) => sql.ref(`change_commits.${name}`)),
  ...[
    'server',
    'kinds',
    'former_updated_at',
    'source_time',
    'task_id',
    'diff',
    'former_version',
  ].map((name) => sql.ref(`changed.${name}`)),
  // What a source reports because of a task has no request of its own.
  sql`coalesce(changed.request_id, (select request_id from tasks where tasks.id = changed.task_id))
    as request_id`,
  ...['account', 'project', 'domain', 'former_project', 'former_domain'].map(textOf),
])

const isFirst = toBits(['appeared'])

export function toChangeRecord(row: Row): ChangeRecord {
  const text = (name: string) => (row[name] as string | null) ?? ''
  const projectId = text('project')
  const domainId = text('domain')
  const kinds = Number(row['kinds'])
  const packed = row['former_version'] as Uint8Array | null
  const sourceTime = row['source_time']
  return {
    position: {
      time: Number(row['time']),
      commit: Number(row['position']),
      seq: Number(row['server']),
    },
    kinds: fromBits(kinds),
    isFirst: (kinds & isFirst) !== 0,
    ...(packed && { formerVersion: upgradeServer(unpackVersion(packed)) }),
    formerUpdatedAt: timestampOfMicroseconds(Number(row['former_updated_at'])),
    diff: row['diff'] === null ? {} : (JSON.parse(text('diff')) as ServerDiff),
    owner: { projectId, domainId },
    formerOwner: {
      projectId: text('former_project') || projectId,
      domainId: text('former_domain') || domainId,
    },
    accountId: text('account'),
    sourceTime: sourceTime === null ? null : Number(sourceTime),
    taskId: text('task_id'),
    requestId: text('request_id'),
  }
}
