import {
  defaultPageSize,
  maxPageSize,
  type ChangeKind,
  type Server,
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
import { kindsOf } from './change-kinds.ts'
import { createMatchesServer } from './matches-server.ts'
import type {
  ChangeMarker,
  ChangeRecord,
  ChangeStore,
  ServerChange,
  VersionOwner,
} from './ports.ts'
import type { MarkChanges, RegionalChange } from './gaps.ts'
import type { ServerDiff } from './server-diff.ts'
import { isPartial } from './partial-change.ts'
import { toldChanges } from './told-changes.ts'

interface Dependencies {
  readonly changes: ChangeStore
  readonly owners: Owners
  readonly markChanges: MarkChanges
}

/** At least so many changes are read at a time: a filter may leave some of them out. */
const minChunk = 50
const maxChunk = 500
/** A response has fewer changes than its limit when so many were examined. */
const mostExamined = 5_000

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

const writeId = ({ time, serverId }: ChangeMarker): string =>
  Buffer.from(JSON.stringify([time, serverId])).toString('base64url')

function readId(text: string): ChangeMarker {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    parts = undefined
  }
  const [time, serverId, ...others] = Array.isArray(parts) ? (parts as unknown[]) : []
  if (!Number.isSafeInteger(time) || typeof serverId !== 'string' || others.length > 0) {
    throw badField('marker', 'is invalid. Take it from the Link header.')
  }
  return { time: time as number, serverId: serverId.replaceAll('\0', '') }
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
const shownDiff = ({ diff, owner, formerOwner }: ChangeRecord, { administers }: Visibility) =>
  toldChanges(diff, covers(administers, owner) && covers(administers, formerOwner))

/** Nothing but differences is known. */
const partialChanges = (diff: ServerDiff, before: Server | undefined, after: Server | undefined) =>
  Object.fromEntries(
    Object.entries(toldChanges(diff, false))
      .filter(([, [old, fresh]]) => old !== fresh)
      .map(([key, [old, fresh]]) => [
        key,
        [before ? old : null, after ? fresh : null] as [unknown, unknown],
      ]),
  )

/** The fields and tags that changed; for a server that appears or is gone those that introduce it. */
function changesOf({ record, before, after }: ServerChange, visibility: Visibility) {
  if (isPartial(record)) return partialChanges(record.diff, before, after)
  if (!isThere(after)) return before ? introduce(before, (value) => [value, null]) : {}
  if (!isThere(before)) return introduce(after, (value) => [null, value])
  return shownDiff(record, visibility)
}

/** Hidden fields are of no kind. */
function shownKinds({ record, before, after }: ServerChange, changes: ServerDiff) {
  if (!isThere(after)) return ['gone'] as const
  if (!before) return ['appeared'] as const
  return before.deleted ? record.kinds : kindsOf(before, after, changes)
}

function describe(change: ServerChange, visibility: Visibility): RegionalChange {
  const { record, before, after } = change
  const { position, owner, formerOwner, sourceTime } = record
  const server = after ?? before
  if (!server) throw new Error('a change has no version')
  const shown = after ? owner : formerOwner
  const changes = changesOf(change, visibility)
  const described = {
    id: writeId({ time: position.time, serverId: server.id }),
    time: timestamp(position.time),
    source_time: sourceTime === null ? null : timestampOfMicroseconds(sourceTime),
    not_observed_since: null,
    kinds: [...shownKinds(change, changes)],
    server_id: server.id,
    server_name: server.name,
    project_id: shown.projectId,
    domain_id: shown.domainId,
    account_id: server.account_id,
    account: server.account,
    task_id: record.taskId,
    request_id: record.requestId,
    changes,
    is_partial: isPartial(record),
  }
  return { change: described, region: server.region_ext_id }
}

const all: Visibility = {
  scope: { kind: 'system' },
  updates: { kind: 'none' },
  deletes: { kind: 'system' },
  administers: { kind: 'none' },
}

/** A change as it is delivered to receivers; undefined if they are told nothing of it. */
export function describeForReceivers(change: ServerChange): RegionalChange | undefined {
  if (!change.after && !change.before) return undefined
  const told = describe(change, all)
  return told.change.kinds.length === 0 ? undefined : told
}

/** A server that moves can appear or be gone for the caller. */
const candidatesOf = (kinds: readonly ChangeKind[]): readonly ChangeKind[] =>
  kinds.includes('appeared') || kinds.includes('gone')
    ? [...kinds, 'moved', 'returned', 'other']
    : kinds

/** Lists the changes of servers that were in the scope of the caller before or after. */
export function createListChanges({ changes, owners, markChanges }: Dependencies) {
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
    /** The change as the caller sees it, if they see it and it is asked for. */
    function matched(change: ServerChange): RegionalChange | undefined {
      const seen = within(visibility, change)
      if (!isThere(seen.before) && !isThere(seen.after)) return undefined
      if (![seen.before, seen.after].some((server) => server && matches(server))) return undefined
      const described = describe(seen, visibility)
      const item = described.change
      const isWanted =
        item.kinds.length > 0 &&
        (kind.length === 0 || item.kinds.some((each) => kind.includes(each))) &&
        (changed.length === 0 || changed.some((field) => field in item.changes))
      return isWanted ? described : undefined
    }

    const found: RegionalChange[] = []
    const pageOf = async (next: string | undefined) => ({
      items: await markChanges(found, query.requester),
      limit: most,
      next,
    })
    let after = marker === undefined ? undefined : readId(marker)
    let examined = 0
    for (;;) {
      const records = await changes.list({ ...query, ...(after && { after }) })
      for (const change of await changes.withVersions(records, query.requester)) {
        const version = change.after ?? change.before
        if (!version) continue
        const item = matched(change)
        if (item && found.length === most) {
          return await pageOf(found.at(-1)?.change.id)
        }
        if (item) found.push(item)
        after = { time: change.record.position.time, serverId: version.id }
      }
      examined += records.length
      if (records.length < chunkSize) return await pageOf(undefined)
      // A rare filter over a long time: the client asks for the rest.
      if (examined >= mostExamined) return await pageOf(after && writeId(after))
    }
  }
}
export type ListChanges = ReturnType<typeof createListChanges>
