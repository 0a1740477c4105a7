import { ServerChange } from '@muster/contract'
import { chunk } from '../../chunk.ts'
import type { Caller } from '../../identity/caller.ts'
import { nextTurn } from '../../next-turn.ts'
import type { Format } from '../../query/choose-format.ts'
import { csvHeader, csvRow } from '../../query/csv.ts'
import { startStream } from '../../query/start-stream.ts'
import {
  maxChunk,
  readMarker,
  type ChangeListParameters,
  type ListDependencies,
} from './list-changes.ts'
import { scanChanges } from './select-changes.ts'

/** A change can have long values. */
const renderedInTurn = 50

const columns = Object.keys(ServerChange.properties) as (keyof ServerChange)[]

/** Streams all matching changes. */
export function createExportChanges({ changes, selectChanges, markChanges }: ListDependencies) {
  return async function exportChanges(
    caller: Caller,
    parameters: ChangeListParameters,
    format: Exclude<Format, 'json'>,
  ): Promise<AsyncIterable<Buffer>> {
    const { marker, order, limit: _, ...filter } = parameters
    const selection = await selectChanges(caller, filter)
    const render = (change: ServerChange) =>
      format === 'csv' ? csvRow(columns, change) : `${JSON.stringify(change)}\n`

    async function* chunks(): AsyncGenerator<Buffer> {
      const scan = scanChanges(changes, selection, {
        descending: order !== 'asc',
        chunkSize: maxChunk,
        after: readMarker(marker),
      })
      for await (const { items } of scan) {
        const marked = await markChanges(items, selection.query.requester)
        for (const piece of chunk(marked, renderedInTurn)) {
          yield Buffer.from(piece.map(render).join(''))
          await nextTurn()
        }
      }
    }
    return await startStream({ head: format === 'csv' ? csvHeader(columns) : '' }, chunks())
  }
}
export type ExportChanges = ReturnType<typeof createExportChanges>
