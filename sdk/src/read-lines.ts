import { ConnectionError } from './errors.ts'

/** Reads lines of JSON as they arrive. Closes the connection when the reader stops before the end. */
export async function* readLines(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let rest = ''
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield JSON.parse(line)
    }
    if (rest !== '') yield JSON.parse(rest)
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError('The connection closed before the export was complete', {
      cause: error,
    })
  } finally {
    await reader.cancel().catch(() => {})
  }
}
