import { defaultPageSize, maxPageSize, type ServerChangesQuery } from '@muster/contract'
import type { Caller } from '../../identity/caller.ts'
import { readChangeId, writeChangeId } from './change-marker.ts'
import type { MarkChanges, RegionalChange } from './gaps.ts'
import type { ChangeStore } from './ports.ts'
import { scanChanges, type SelectChanges } from './select-changes.ts'

export interface ListDependencies {
  readonly changes: ChangeStore
  readonly selectChanges: SelectChanges
  readonly markChanges: MarkChanges
}

export type ChangeListParameters = Omit<ServerChangesQuery, 'format' | 'after' | 'wait'>

/** At least so many changes are read at a time: a filter may leave some of them out. */
export const minChunk = 50
export const maxChunk = 500
/** A response has fewer changes than its limit when so many were examined. */
export const mostExamined = 5_000

export const readMarker = (marker: string | undefined) =>
  marker === undefined ? undefined : readChangeId(marker, 'marker', 'the Link header')

/** Lists the changes of servers that were in the scope of the caller before or after. */
export function createListChanges({ changes, selectChanges, markChanges }: ListDependencies) {
  return async function listChanges(
    caller: Caller,
    { marker, order, limit, ...filter }: ChangeListParameters,
  ) {
    const selection = await selectChanges(caller, filter)
    const most = Math.min(limit ?? defaultPageSize, maxPageSize)
    const scan = scanChanges(changes, selection, {
      descending: order !== 'asc',
      chunkSize: Math.min(Math.max(most + 1, minChunk), maxChunk),
      after: readMarker(marker),
    })
    const found: RegionalChange[] = []
    const pageOf = async (next: string | undefined) => ({
      items: await markChanges(found.slice(0, most), selection.query.requester),
      limit: most,
      next,
    })
    let examined = 0
    for await (const { items, count, last } of scan) {
      found.push(...items)
      if (found.length > most) return await pageOf(found[most - 1]?.change.id)
      examined += count
      // A rare filter over a long time: the client asks for the rest.
      if (examined >= mostExamined) return await pageOf(last && writeChangeId(last))
    }
    return await pageOf(undefined)
  }
}
export type ListChanges = ReturnType<typeof createListChanges>
