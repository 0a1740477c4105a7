import type { Server } from '@muster/contract'
import { covers, type ScopeOrNone } from '../../scope.ts'
import { timestamp, timestampOfMicroseconds } from '../../timestamp.ts'
import type { Visibility } from '../server-list/visibility.ts'
import { writeChangeId } from './change-marker.ts'
import { kindsOf } from './change-kinds.ts'
import { isCheckChange, toldChecks } from './check-changes.ts'
import type { RegionalChange } from './gaps.ts'
import { isPartial } from './partial-change.ts'
import type { ServerChange, VersionOwner } from './ports.ts'
import type { ServerDiff } from './server-diff.ts'
import { toldChanges } from './told-changes.ts'

/** What a caller sees of changes: of servers, and of the checks that they violate. */
interface ChangeVisibility extends Visibility {
  readonly checks: ScopeOrNone
}

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

/**
 * Whether a version of a server is visible. One in the recycle bin is so only for those who may delete it. What
 * belongs to a version decides, so a server that moved is visible to each owner while it was theirs.
 */
export const isVersionVisible = (
  { scope, deletes }: Visibility,
  server: Server,
  owner: VersionOwner,
): boolean => covers(scope, owner) && (!server.pending_deleted || covers(deletes, owner))

/**
 * A change as the scope sees it: a server that comes from elsewhere appears, and one that leaves is gone,
 * without the values that it has there. So does one that goes to the recycle bin, for those who may not see that.
 */
export function within(visibility: Visibility, { record, before, after }: ServerChange) {
  const visible = (server: Server | undefined, owner: VersionOwner) =>
    server && isVersionVisible(visibility, server, owner) ? server : undefined
  const seen = {
    record,
    before: visible(before, record.formerOwner),
    after: visible(after, record.owner),
  }
  // That a server moved is another change. What it ceased to violate is told to those who see both owners.
  const isHidden = isCheckChange(record.diff) && !(seen.before && seen.after)
  return isHidden ? { record, before: undefined, after: undefined } : seen
}

export const isThere = (server: Server | undefined): server is Server =>
  server !== undefined && !server.deleted

function introduce(server: Server, order: (value: unknown) => [unknown, unknown]) {
  return Object.fromEntries(introduction.map((key) => [key, order(server[key])]))
}

/** What is told of a server that appears. */
export const introduceAppeared = (server: Server) => introduce(server, (value) => [null, value])
/** What is told of a server that is gone. */
export const introduceGone = (server: Server) => introduce(server, (value) => [value, null])

/** The fields of a difference that the caller may see. */
export const shownDiff = (
  diff: ServerDiff,
  owners: readonly VersionOwner[],
  { administers }: Visibility,
) =>
  toldChanges(
    diff,
    owners.every((owner) => covers(administers, owner)),
  )

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
function changesOf({ record, before, after }: ServerChange, visibility: ChangeVisibility) {
  if (isPartial(record)) return partialChanges(record.diff, before, after)
  if (!isThere(after)) return before ? introduceGone(before) : {}
  if (!isThere(before)) return introduceAppeared(after)
  if (isCheckChange(record.diff)) return toldChecks(record.diff, visibility.checks)
  return shownDiff(record.diff, [record.owner, record.formerOwner], visibility)
}

/** Hidden fields are of no kind. */
function shownKinds({ record, before, after }: ServerChange, changes: ServerDiff) {
  if (!isThere(after)) return ['gone'] as const
  if (!before) return ['appeared'] as const
  return before.deleted ? record.kinds : kindsOf(before, after, changes)
}

/** A change that the caller sees, in the form of the API. */
export function describeChange(change: ServerChange, visibility: ChangeVisibility): RegionalChange {
  const { record, before, after } = change
  const { position, owner, formerOwner, sourceTime } = record
  const server = after ?? before
  if (!server) throw new Error('a change has no version')
  const shown = after ? owner : formerOwner
  const changes = changesOf(change, visibility)
  const described = {
    id: writeChangeId({ time: position.time, serverId: server.id }),
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

const all: ChangeVisibility = {
  checks: { kind: 'system' },
  scope: { kind: 'system' },
  updates: { kind: 'none' },
  deletes: { kind: 'system' },
  administers: { kind: 'none' },
}

/** A change as it is delivered to receivers; undefined if they are told nothing of it. */
export function describeForReceivers(change: ServerChange): RegionalChange | undefined {
  if (!change.after && !change.before) return undefined
  const told = describeChange(change, all)
  return told.change.kinds.length === 0 ? undefined : told
}
