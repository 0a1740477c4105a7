import { ConnectionError } from '@muster/sdk'
import { api } from '../api/client.ts'
import { toJsonArray } from './export-json.ts'
import { exportQuery } from './export-query.ts'
import type { ListState } from './list-state.ts'

export type ExportKind = 'csv' | 'json' | 'ndjson'

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

/** Saves all matching servers as a file. A partial file is never saved, since it would look complete. */
export async function saveExport(state: ListState, kind: ExportKind): Promise<void> {
  const format = kind === 'json' ? 'ndjson' : kind
  const response = await api.stream('listServers', { query: exportQuery(state, format) })
  const address = URL.createObjectURL(await toBlob(response, kind))
  download(address, `servers.${kind}`)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
