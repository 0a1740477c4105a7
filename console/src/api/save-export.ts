import { ConnectionError } from '@muster/sdk'
import { saveFile } from '../browser/save-file.ts'

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

export type ExportKind = 'csv' | 'json' | 'ndjson'

/** The format to request. A JSON file is made from the lines. */
export const exportFormat = (kind: ExportKind) => (kind === 'json' ? 'ndjson' : kind)

/** A lost connection ends the stream without an API error. */
async function toBlob(response: Response, kind: ExportKind): Promise<Blob> {
  try {
    if (kind !== 'json' || !response.body) return await response.blob()
    return await toJsonArray(response.body)
  } catch (cause) {
    throw new ConnectionError('The export broke off.', { cause })
  }
}

/** Saves an export as a file. A partial file is never saved, since it would look complete. */
export async function saveExport(response: Response, name: string, kind: ExportKind) {
  saveFile(await toBlob(response, kind), `${name}.${kind}`)
}
