import { defaultPageSize, maxPageSize, type ServerChangesQuery } from '@muster/contract'
import { badField } from '../../error.ts'
import type { Caller } from '../../identity/caller.ts'
import type { ReauthorizeCaller } from '../../identity/reauthorize-caller.ts'
import { requesterOf } from '../ports.ts'
import type { AwaitChanges } from './await-changes.ts'
import type { RegionalChange } from './gaps.ts'
import { endOf, type FeedPosition, type FeedPositions } from './feed-position.ts'
import { maxChunk, minChunk, mostExamined, type ListDependencies } from './list-changes.ts'

interface Dependencies extends ListDependencies {
  readonly awaitChanges: AwaitChanges
  readonly loadPositions: () => Promise<FeedPositions>
  readonly reauthorizeCaller: ReauthorizeCaller
}

/**
 * An empty page has the position of the request, unless the next one would have to pass so many commits again.
 */
const mostRepeated = 1_000

/** Parameters of the list by time. */
const ofList = ['since', 'until', 'marker', 'order', 'format'] as const

/** The changes after a position, in the order in which they were committed. Each is told once. */
export function createFollowChanges(dependencies: Dependencies) {
  const { changes, selectChanges, markChanges, awaitChanges, loadPositions, reauthorizeCaller } =
    dependencies

  async function readStart(after: string): Promise<FeedPosition> {
    const newest = await changes.newestCommit()
    if (after === 'now') return endOf(newest)
    if (after === 'start') return endOf(0)
    const position = (await loadPositions()).read(after)
    if (!position || position.commit > newest) {
      throw badField(
        'after',
        'is not a position of this database. If it was restored from a backup, start again with after=start or after=now.',
      )
    }
    if (position.commit < (await changes.purgedCommit())) {
      throw badField(
        'after',
        'is older than the stored history, so changes are missing. Start again with after=start or after=now.',
      )
    }
    return position
  }

  return async function followChanges(
    caller: Caller,
    { after = '', wait = 0, limit, ...filter }: ServerChangesQuery,
  ) {
    const wrong = ofList.find((name) => filter[name] !== undefined)
    if (wrong !== undefined) throw badField(wrong, 'cannot be combined with after')
    const end = performance.now() + wait * 1_000
    const most = Math.min(limit ?? defaultPageSize, maxPageSize)
    const chunkSize = Math.min(Math.max(most, minChunk), maxChunk)
    const start = await readStart(after)
    const positions = await loadPositions()
    const answer = async (found: readonly RegionalChange[], position: FeedPosition) => ({
      items: await markChanges(found, requesterOf(caller)),
      limit: most,
      position: positions.write(position),
    })
    let selection = await selectChanges(caller, filter)
    let position = start
    let examined = 0
    for (;;) {
      const found: RegionalChange[] = []
      const until = await changes.newestCommit()
      for (;;) {
        const { query } = selection
        const { requester } = query
        const records = await changes.listAfter(position, chunkSize, requester, { ...query, until })
        for (const change of await changes.withVersions(records, requester)) {
          const { commit, seq } = change.record.position
          position = { commit, seq }
          const item = selection.match(change)
          if (item) found.push(item)
          if (found.length === most) return await answer(found, position)
        }
        if (records.length < chunkSize) break
        examined += records.length
        // A rare filter over a long time: the client asks for the rest.
        if (examined >= mostExamined) return await answer(found, position)
      }
      if (found.length > 0) return await answer(found, endOf(until))
      const isNear = until - start.commit < mostRepeated
      const empty = await answer([], isNear ? start : endOf(until))
      position = endOf(until)
      const rest = end - performance.now()
      const waiter = { scope: selection.query.scope, commit: until }
      if (rest <= 0 || !(await awaitChanges.wait(waiter, rest, selection.query.requester))) {
        return empty
      }
      // Meanwhile the caller can have lost permissions.
      selection = await selectChanges(await reauthorizeCaller(caller), filter)
    }
  }
}
export type FollowChanges = ReturnType<typeof createFollowChanges>
