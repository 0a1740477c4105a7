import { nextTurn } from '../next-turn.ts'

/**
 * The body of an export, in chunks of few rows. Other requests run between the chunks, also if the
 * client reads as fast as they are made. Waits for the first chunk, so that an error before it becomes
 * an error response instead of a stream that breaks off.
 */
export async function startStream(
  { head, tail = () => [] }: { readonly head: string; readonly tail?: () => Iterable<string> },
  chunks: AsyncGenerator<Buffer>,
): Promise<AsyncIterable<Buffer>> {
  const first = await chunks.next()
  return (async function* stream() {
    try {
      yield Buffer.from(head)
      for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
        yield chunk.value
        await nextTurn()
      }
      for (const text of tail()) {
        yield Buffer.from(text)
        await nextTurn()
      }
    } finally {
      // Stops the query when the client disconnects.
      await chunks.return(undefined)
    }
  })()
}
