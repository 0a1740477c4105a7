import { Server, type ChangeKind, type ServerChangeFilter } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { badField } from '../../error.ts'
import { findAuthorizedScope } from '../../identity/authorized-scope.ts'
import type { Caller } from '../../identity/caller.ts'
import { readCloudpodsParameters } from '../cloudpods-parameters.ts'
import type { Owners } from '../owners.ts'
import { requesterOf } from '../ports.ts'
import { readServerFilter } from '../server-list/read-server-filter.ts'
import { findVisibility } from '../server-list/visibility.ts'
import { listChecks } from './check-changes.ts'
import type { RegionalChange } from './gaps.ts'
import { createMatchesServer } from './matches-server.ts'
import { parseMoment } from './parse-as-of.ts'
import type { ChangeMarker, ChangeQuery, ChangeStore, ServerChange } from './ports.ts'
import { describeChange, isThere, within } from './view-change.ts'

interface Dependencies {
  readonly changes: ChangeStore
  readonly owners: Owners
  readonly clock: Clock
}

/** The changes that a request asks for. */
export interface Selection {
  /** What the database can decide. It finds some more changes than those asked for. */
  readonly query: Omit<ChangeQuery, 'descending' | 'limit'>
  /** The change as the caller sees it, if they see it and it is asked for. */
  readonly match: (change: ServerChange) => RegionalChange | undefined
}

/** A server that moves can appear or be gone for the caller. */
const candidatesOf = (kinds: readonly ChangeKind[]): readonly ChangeKind[] =>
  kinds.includes('appeared') || kinds.includes('gone')
    ? [...kinds, 'moved', 'returned', 'other']
    : kinds

/** Tags and checks have a prefix. */
function requireFields(names: readonly string[]): void {
  const unknown = names.find(
    (name) => !(name in Server.properties) && !/^(user|ext|sys|check):/.test(name),
  )
  if (unknown !== undefined) {
    throw badField(
      'changed',
      `has "${unknown}", which is neither a field of servers nor a tag such as user:env`,
    )
  }
}

/** Reads the filters that all operations on changes have. */
export function createSelectChanges({ owners, clock }: Omit<Dependencies, 'changes'>) {
  return async function selectChanges(
    caller: Caller,
    {
      since,
      until,
      kind = [],
      changed = [],
      new_status: newStatuses = [],
      ...rest
    }: ServerChangeFilter,
  ): Promise<Selection> {
    requireFields(changed)
    const { scope: requested, where } = readServerFilter(rest, readCloudpodsParameters(rest))
    const visibility = {
      ...findVisibility(caller.principal, caller.authorizedScope.scope, requested),
      checks: findAuthorizedScope(caller.principal, listChecks).scope,
    }
    const matches = createMatchesServer(where, await owners.byProject())
    const now = clock()
    return {
      query: {
        scope: visibility.scope,
        ...(since !== undefined && { since: parseMoment(since, now, 'since') }),
        ...(until !== undefined && { until: parseMoment(until, now, 'until') }),
        kinds: candidatesOf(kind),
        serverIds: rest.id ?? [],
        accountIds: rest.account_id ?? [],
        requester: requesterOf(caller),
      },
      match(change) {
        const seen = within(visibility, change)
        if (!isThere(seen.before) && !isThere(seen.after)) return undefined
        const isMatch = [seen.before, seen.after].some((server) => server && matches(server))
        if (!isMatch) return undefined
        const described = describeChange(seen, visibility)
        const item = described.change
        const isWanted =
          item.kinds.length > 0 &&
          (kind.length === 0 || item.kinds.some((each) => kind.includes(each))) &&
          (changed.length === 0 || changed.some((field) => field in item.changes)) &&
          (newStatuses.length === 0 || newStatuses.includes(String(item.changes['status']?.[1])))
        return isWanted ? described : undefined
      },
    }
  }
}
export type SelectChanges = ReturnType<typeof createSelectChanges>

interface Scan {
  readonly descending: boolean
  /** How many changes are read at a time. */
  readonly chunkSize: number
  readonly after?: ChangeMarker | undefined
}

/** Some of the changes that were examined. */
interface Examined {
  readonly items: readonly RegionalChange[]
  /** How many changes were examined for these. */
  readonly count: number
  /** The last of them; undefined if there is none. */
  readonly last: ChangeMarker | undefined
  /** Whether there may be more. */
  readonly hasMore: boolean
}

/** Examines changes in the order of their time, some at a time. */
export async function* scanChanges(
  changes: ChangeStore,
  { query, match }: Selection,
  { descending, chunkSize, after: start }: Scan,
): AsyncGenerator<Examined> {
  let after = start
  let { requester } = query
  for (;;) {
    const page = { ...query, requester, descending, limit: chunkSize }
    const records = await changes.list({ ...page, ...(after && { after }) })
    const items: RegionalChange[] = []
    for (const change of await changes.withVersions(records, requester)) {
      const version = change.after ?? change.before
      if (!version) continue
      const item = match(change)
      if (item) items.push(item)
      after = { time: change.record.position.time, serverId: version.id }
    }
    const hasMore = records.length === chunkSize
    yield { items, count: records.length, last: after, hasMore }
    if (!hasMore) return
    // A later chunk of an export waits for as long as the client does.
    requester = { ...query.requester, isStreaming: true }
  }
}
