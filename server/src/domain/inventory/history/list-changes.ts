import {
  defaultPageSize,
  maxPageSize,
  type ChangeKind,
  type Server,
  type ServerChange as ServerChangeDto,
  type ServerChangesQuery,
} from '@muster/contract'
import { badField } from '../../error.ts'
import type { Caller } from '../../identity/caller.ts'
import { readTimestamp } from '../../read-timestamp.ts'
import { covers } from '../../scope.ts'
import { timestamp, timestampOfMicroseconds } from '../../timestamp.ts'
import type { Owners } from '../owners.ts'
import { requesterOf } from '../ports.ts'
import { readCloudpodsParameters } from '../cloudpods-parameters.ts'
import { readServerFilter } from '../server-list/read-server-filter.ts'
import { findVisibility, type Visibility } from '../server-list/visibility.ts'
import { isBookkeeping } from './change-kinds.ts'
import { createMatchesServer } from './matches-server.ts'
import type {
  ChangePosition,
  ChangeRecord,
  ChangeStore,
  ServerChange,
  VersionOwner,
} from './ports.ts'
import { adminFields } from './server-diff.ts'

interface Dependencies {
  readonly changes: ChangeStore
  readonly owners: Owners
}

/** At least so many changes are read at a time: a filter may leave some of them out. */
const minChunk = 50
const maxChunk = 500

/** The fields of a server that appears, or is gone. All others are in the server itself. */
const introduction = [
  'name',
  'status',
  'ips',
  'instance_type',
  'host',
  'account',
  'project_id',
] as const satisfies readonly (keyof Server)[]

const writeId = ({ time, commit, seq }: ChangePosition): string =>
  Buffer.from(JSON.stringify([time, commit, seq])).toString('base64url')

function readId(text: string): ChangePosition {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    parts = undefined
  }
  const isPosition =
    Array.isArray(parts) && parts.length === 3 && parts.every((part) => Number.isSafeInteger(part))
  if (!isPosition) throw badField('marker', 'is invalid. Take it from the Link header.')
  const [time, commit, seq] = parts as [number, number, number]
  return { time, commit, seq }
}

/**
 * A change as the scope sees it: a server that comes from elsewhere appears, and one that leaves is gone,
 * without the values that it has there. So does one that goes to the recycle bin, for those who may not see that.
 */
function within({ scope, deletes }: Visibility, change: ServerChange): ServerChange {
  const { record } = change
  const isVisible = (server: Server | undefined, owner: VersionOwner) =>
    covers(scope, owner) && (server?.pending_deleted !== true || covers(deletes, owner))
  return {
    record,
    before: isVisible(change.before, record.formerOwner) ? change.before : undefined,
    after: isVisible(change.after, record.owner) ? change.after : undefined,
  }
}

const isThere = (server: Server | undefined): server is Server =>
  server !== undefined && !server.deleted

function introduce(server: Server, order: (value: unknown) => [unknown, unknown]) {
  return Object.fromEntries(introduction.map((key) => [key, order(server[key])]))
}

/** The fields of the change that the caller may see. */
function shownDiff({ diff, owner }: ChangeRecord, { administers }: Visibility) {
  const isShown = (key: string) =>
    !isBookkeeping(key) && (!adminFields.has(key) || covers(administers, owner))
  return Object.fromEntries(
    Object.entries(diff)
      .filter(([key]) => isShown(key))
      .map(([key, [before, after]]) => [key, [before, after] as [unknown, unknown]]),
  )
}

/** The fields and tags that changed; for a server that appears or is gone those that introduce it. */
function changesOf({ record, before, after }: ServerChange, visibility: Visibility) {
  if (!isThere(after)) return before ? introduce(before, (value) => [value, null]) : {}
  if (!isThere(before)) return introduce(after, (value) => [null, value])
  return shownDiff(record, visibility)
}

function kindsOf({ record, before, after }: ServerChange): readonly ChangeKind[] {
  if (!isThere(after)) return ['gone']
  return before ? record.kinds : ['appeared']
}

function describe(change: ServerChange, visibility: Visibility): ServerChangeDto {
  const { record, before, after } = change
  const { position, owner, formerOwner, sourceTime } = record
  const server = after ?? before
  if (!server) throw new Error('a change has no version')
  const shown = after ? owner : formerOwner
  return {
    id: writeId(position),
    time: timestamp(position.time),
    source_time: sourceTime === null ? null : timestampOfMicroseconds(sourceTime),
    kinds: [...kindsOf(change)],
    server_id: server.id,
    server_name: server.name,
    project_id: shown.projectId,
    domain_id: shown.domainId,
    account_id: server.account_id,
    task_id: record.taskId,
    request_id: record.requestId,
    changes: changesOf(change, visibility),
  }
}

/** A server that moves can appear or be gone for the caller. */
const candidatesOf = (kinds: readonly ChangeKind[]): readonly ChangeKind[] =>
  kinds.includes('appeared') || kinds.includes('gone') ? [...kinds, 'moved', 'other'] : kinds

/** Lists the changes of servers that were in the scope of the caller before or after. */
export function createListChanges({ changes, owners }: Dependencies) {
  return async function listChanges(caller: Caller, parameters: ServerChangesQuery) {
    const { since, until, kind = [], changed = [], marker, order, limit, ...rest } = parameters
    const { scope: requested, where } = readServerFilter(rest, readCloudpodsParameters(rest))
    const visibility = findVisibility(caller.principal, caller.authorizedScope.scope, requested)
    const matches = createMatchesServer(where, await owners.byProject())
    const most = Math.min(limit ?? defaultPageSize, maxPageSize)
    const chunkSize = Math.min(Math.max(most + 1, minChunk), maxChunk)
    const query = {
      scope: visibility.scope,
      ...(since !== undefined && { since: readTimestamp(since, 'since') }),
      ...(until !== undefined && { until: readTimestamp(until, 'until') }),
      kinds: candidatesOf(kind),
      serverIds: rest.id ?? [],
      descending: order !== 'asc',
      limit: chunkSize,
      requester: requesterOf(caller),
    }
    const found: ServerChangeDto[] = []
    let after = marker === undefined ? undefined : readId(marker)
    for (;;) {
      const records = await changes.list({ ...query, ...(after && { after }) })
      for (const change of await changes.withVersions(records, query.requester)) {
        const seen = within(visibility, change)
        after = change.record.position
        if (!isThere(seen.before) && !isThere(seen.after)) continue
        const isMatch = [seen.before, seen.after].some((server) => server && matches(server))
        if (!isMatch) continue
        const item = describe(seen, visibility)
        if (kind.length > 0 && !item.kinds.some((each) => kind.includes(each))) continue
        if (changed.length > 0 && !changed.some((field) => field in item.changes)) continue
        found.push(item)
        if (found.length > most) return { items: found.slice(0, most), limit: most, hasMore: true }
      }
      if (records.length < chunkSize) return { items: found, limit: most, hasMore: false }
    }
  }
}
export type ListChanges = ReturnType<typeof createListChanges>
