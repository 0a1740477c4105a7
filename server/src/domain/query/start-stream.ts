/**
 * Waits for the first chunk, so that an error before it becomes an error response instead of a
 * stream that breaks off.
 */
export async function startStream(
  { head, tail }: { readonly head: string; readonly tail?: () => Iterable<string> },
  chunks: AsyncGenerator<Buffer>,
): Promise<AsyncIterable<Buffer>> {
  const first = await chunks.next()
  return (async function* stream() {
    try {
      yield Buffer.from(head)
      if (first.done !== true) yield first.value
      yield* chunks
      if (tail) for (const text of tail()) yield Buffer.from(text)
    } finally {
      // A client that disconnects leaves nothing running.
      await chunks.return(undefined)
    }
  })()
}
