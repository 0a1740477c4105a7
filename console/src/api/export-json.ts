/** Converts JSON Lines to an array as a stream, because exports may be hundreds of megabytes. */
export async function toJsonArray(lines: ReadableStream<Uint8Array>): Promise<Blob> {
  const parts: string[] = ['[\n']
  let rest = ''
  let isFirst = true
  const add = (line: string) => {
    if (line === '') return
    parts.push(isFirst ? line : `,\n${line}`)
    isFirst = false
  }
  const decoder = new TextDecoder()
  for await (const bytes of lines) {
    const texts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    for (const line of texts) add(line)
  }
  add(rest + decoder.decode())
  parts.push('\n]\n')
  return new Blob(parts, { type: 'application/json' })
}
