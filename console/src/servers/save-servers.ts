import { api } from '../api/client.ts'
import { exportFormat, saveExport, type ExportKind } from '../api/save-export.ts'
import { exportQuery } from './export-query.ts'
import type { ListState } from './list-state.ts'

/** Saves all matching servers as a file. */
export async function saveServers(state: ListState, kind: ExportKind): Promise<void> {
  const query = exportQuery(state, exportFormat(kind))
  await saveExport(await api.stream('listServers', { query }), 'servers', kind)
}
