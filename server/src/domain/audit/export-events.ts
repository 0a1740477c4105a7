import { events as description, type EventDto } from '@muster/contract'
import { inTurns } from '../next-turn.ts'
import type { Format } from '../query/choose-format.ts'
import { csvHeader, csvRow } from '../query/csv.ts'
import { selectKeys } from '../query/select-keys.ts'
import { startStream } from '../query/start-stream.ts'
import type { EventPage, EventQuery } from './event-store.ts'
import { renderEvent } from './render-event.ts'

/** How many events are in memory at a time. */
const pageSize = 500

export interface ExportOptions {
  readonly format: Exclude<Format, 'json'>
  /** The fields; undefined for all. */
  readonly keys: readonly string[] | undefined
}

/** Streams all matching events in the order in which they were committed, or in reverse. */
export async function exportEvents(
  list: (query: EventQuery) => Promise<EventPage>,
  query: EventQuery,
  { format, keys }: ExportOptions,
): Promise<AsyncIterable<Buffer>> {
  const columns = (keys ?? Object.keys(description.fields)) as readonly (keyof EventDto)[]
  const render = (event: EventDto) =>
    format === 'csv' ? csvRow(columns, event) : `${JSON.stringify(selectKeys(event, keys))}\n`

  async function* chunks(): AsyncGenerator<Buffer> {
    let { marker, requester } = query
    do {
      const page = await list({
        ...query,
        ...(marker !== undefined && { marker }),
        requester,
        limit: pageSize,
        byCommit: true,
      })
      requester = { ...query.requester, isStreaming: true }
      for await (const some of inTurns(page.items)) {
        yield Buffer.from(some.map((event) => render(renderEvent(event))).join(''))
      }
      marker = page.next
    } while (marker !== undefined)
  }
  return await startStream({ head: format === 'csv' ? csvHeader(columns) : '' }, chunks())
}
