import { ConnectionError } from '@muster/sdk'
import { api } from '../api/client.ts'
import { toJsonArray } from './export-json.ts'
import { exportQuery } from './export-query.ts'
import type { ListState } from './list-state.ts'

export type ExportKind = 'csv' | 'json' | 'ndjson'

/** The stream breaks off without a word of the API where the connection does. */
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

/** Saves all that match as a file. It is there as a whole or not at all: half of it looks like all. */
export async function saveExport(state: ListState, kind: ExportKind): Promise<void> {
  const format = kind === 'json' ? 'ndjson' : kind
  const response = await api.stream('listServers', { query: exportQuery(state, format) })
  const address = URL.createObjectURL(await toBlob(response, kind))
  download(address, `servers.${kind}`)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
