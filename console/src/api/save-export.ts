import { ConnectionError } from '@muster/sdk'
import { toJsonArray } from './export-json.ts'

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

function download(address: string, name: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}

/** Saves an export as a file. A partial file is never saved, since it would look complete. */
export async function saveExport(response: Response, name: string, kind: ExportKind) {
  const address = URL.createObjectURL(await toBlob(response, kind))
  download(address, `${name}.${kind}`)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
