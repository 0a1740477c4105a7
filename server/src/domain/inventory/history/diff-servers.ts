import {
  defaultPageSize,
  maxPageSize,
  type ScopeParameter,
  type Server,
  type ServerDiffItem,
  type ServerDiffQuery,
} from '@muster/contract'
import { clientGone } from '../../bounded-queue.ts'
import { chunk } from '../../chunk.ts'
import type { Clock } from '../../clock.ts'
import { badField, PlatformError } from '../../error.ts'
import type { Caller } from '../../identity/caller.ts'
import { nextTurn } from '../../next-turn.ts'
import { timestamp } from '../../timestamp.ts'
import { readCloudpodsParameters } from '../cloudpods-parameters.ts'
import type { Owners } from '../owners.ts'
import { requesterOf } from '../ports.ts'
import { readServerFilter } from '../server-list/read-server-filter.ts'
import { findVisibility, type Visibility } from '../server-list/visibility.ts'
import { readOpaque } from './change-marker.ts'
import type { Gap } from './gaps.ts'
import { createMatchesServer } from './matches-server.ts'
import { parseAsOf } from './parse-as-of.ts'
import type { ChangeStore, VersionOwner } from './ports.ts'
import { requireCommit, type RecordedCommits } from './require-commit.ts'
import { diffServers as diffVersions } from './server-diff.ts'
import {
  introduceAppeared,
  introduceGone,
  isThere,
  isVersionVisible,
  shownDiff,
} from './view-change.ts'

interface Dependencies {
  readonly changes: ChangeStore
  readonly commits: RecordedCommits
  readonly owners: Owners
  readonly gapsAt: (
    caller: Caller,
    time: number,
    scope: ScopeParameter | undefined,
  ) => Promise<readonly Gap[]>
  readonly clock: Clock
}

/** Servers whose versions are in memory at a time. */
const chunkSize = 80
/** With more changed servers, the numbers of all of them would take too much memory. */
const mostChanged = 200_000

/** Milliseconds. */
const mostAhead = 10_000

type Counts = Record<ServerDiffItem['change'], number>

/** Where a page starts, with what its first page has found. */
interface Start {
  readonly from: number
  readonly to: number
  readonly counts?: Counts
  readonly afterId?: string
}

const isSameGap = (one: Gap, other: Gap) =>
  one.accountId === other.accountId && one.region === other.region && one.from === other.from

const ownerOf = ({ project_id, domain_id }: Server): VersionOwner => ({
  projectId: project_id,
  domainId: domain_id,
})

function readMarker(text: string): Start {
  const [from, to, afterId, appeared, gone, changed] = readOpaque(text)
  const numbers = [from, to, appeared, gone, changed] as number[]
  if (!numbers.every((number) => Number.isSafeInteger(number)) || typeof afterId !== 'string') {
    throw badField('marker', 'is invalid. Take it from the Link header.')
  }
  const [first = 0, second = 0, ...others] = numbers
  const [ofAppeared = 0, ofGone = 0, ofChanged = 0] = others
  return {
    from: first,
    to: second,
    afterId,
    counts: { appeared: ofAppeared, gone: ofGone, changed: ofChanged },
  }
}

const writeMarker = ({ from, to }: Start, afterId: string, counts: Counts): string =>
  Buffer.from(
    JSON.stringify([from, to, afterId, counts.appeared, counts.gone, counts.changed]),
  ).toString('base64url')

/** What differs between two versions that the caller sees; undefined if nothing does. */
function describeDiff(
  before: Server | undefined,
  after: Server | undefined,
  visibility: Visibility,
): ServerDiffItem | undefined {
  const server = after ?? before
  if (!server) return undefined
  const told = (change: ServerDiffItem['change'], changes: ServerDiffItem['changes']) => ({
    change,
    server_id: server.id,
    server_name: server.name,
    project_id: server.project_id,
    domain_id: server.domain_id,
    account_id: server.account_id,
    account: server.account,
    changes,
  })
  if (!before) return told('appeared', introduceAppeared(server))
  if (!after) return told('gone', introduceGone(server))
  const diff = diffVersions(before, after)
  const changes = shownDiff(diff, [ownerOf(before), ownerOf(after)], visibility)
  return Object.keys(changes).length === 0 ? undefined : told('changed', changes)
}

/** Tells what differs between two moments, from the changes between them. */
export function createDiffServers({ changes, commits, owners, gapsAt, clock }: Dependencies) {
  function readStart({ from, to, marker }: ServerDiffQuery): Start {
    const now = clock()
    if (marker !== undefined) {
      const pinned = readMarker(marker)
      // Another node, whose clock is ahead, may have made it.
      if (pinned.from > pinned.to || pinned.to > now + mostAhead) {
        throw badField('marker', 'is invalid. Take it from the Link header.')
      }
      return pinned
    }
    const start = {
      from: parseAsOf(from ?? '', now, true, 'from'),
      to: to === undefined ? now : parseAsOf(to, now, true, 'to'),
    }
    if (start.from > start.to) throw badField('from', 'must not be after to')
    return start
  }

  return async function diffServers(caller: Caller, query: ServerDiffQuery) {
    const { from: _, to: __, marker: ___, limit, ids: ____, as_of: _____, ...filter } = query
    const { scope: requested, where } = readServerFilter(filter, readCloudpodsParameters(filter))
    const visibility = findVisibility(caller.principal, caller.authorizedScope.scope, requested)
    const matches = createMatchesServer(where, await owners.byProject())
    const start = readStart(query)
    const most = Math.min(limit ?? defaultPageSize, maxPageSize)
    const requester = requesterOf(caller)
    const between = [
      await requireCommit(commits, start.from, clock(), 'from'),
      await requireCommit(commits, start.to, clock(), 'to'),
    ] as const

    /** The server with each id that changed, in order, with its numbers. */
    async function listChanged() {
      const [from, until] = between
      const { scope } = visibility
      const found = await changes.changedServers({ scope, from, until }, mostChanged + 1, requester)
      if (found.length > mostChanged) {
        throw new PlatformError(
          'InputParameterError',
          `More than ${mostChanged} servers changed between from and to. Choose moments that are closer together, or a smaller scope.`,
        )
      }
      const { afterId = '' } = start
      const byId = Map.groupBy(
        found.filter(({ id }) => id > afterId),
        ({ id }) => id,
      )
      return [...byId.values()].toSorted(([a], [b]) => ((a?.id ?? '') < (b?.id ?? '') ? -1 : 1))
    }

    /** The version that the caller sees, if the server was there. */
    const visibleOne = (versions: readonly (Server | undefined)[]) =>
      versions.find(
        (server): server is Server =>
          isThere(server) && isVersionVisible(visibility, server, ownerOf(server)),
      )

    const counts: Counts = { appeared: 0, gone: 0, changed: 0 }
    const items: ServerDiffItem[] = []
    let hasMore = false
    for (const some of chunk(await listChanged(), chunkSize)) {
      // With the counts of the first page, one server more tells whether there is another page.
      if (hasMore && start.counts) break
      if (requester.signal?.aborted === true) throw clientGone()
      const seqs = some.flatMap((numbers) => numbers.map(({ seq }) => seq))
      const versions = await changes.versionsAfter(seqs, between, requester)
      const found = some.flatMap((numbers) => {
        const [before, after] = [0, 1].map((at) =>
          visibleOne(numbers.map(({ seq }) => versions.get(seq)?.[at])),
        )
        const isMatch = [before, after].some((server) => server && matches(server))
        return (isMatch && describeDiff(before, after, visibility)) || []
      })
      for (const item of found) counts[item.change] += 1
      hasMore ||= items.length + found.length > most
      items.push(...found.slice(0, most - items.length))
      await nextTurn()
    }
    const [atFrom, atTo] = await Promise.all(
      [start.from, start.to].map((time) => gapsAt(caller, time, query.scope)),
    )
    const gaps = [...(atFrom ?? []), ...(atTo ?? [])]
    const last = items.at(-1)?.server_id
    const whole = start.counts ?? counts
    return {
      body: { from: timestamp(start.from), to: timestamp(start.to), counts: whole },
      items,
      /** A gap can contain both moments. */
      gaps: gaps.filter((gap, at) => gaps.findIndex((other) => isSameGap(gap, other)) === at),
      limit: most,
      next: hasMore && last !== undefined ? writeMarker(start, last, whole) : undefined,
    }
  }
}
export type DiffServers = ReturnType<typeof createDiffServers>
