import { completeTerms } from '../filter/edit-query.ts'
import { fieldsOfColumns } from './column-fields.ts'
import { withBinColumn } from './columns.ts'
import type { ListState } from './list-state.ts'

export type ExportFormat = 'csv' | 'ndjson'

/** The export request: all matching servers, with the visible columns and no others, in their order. */
export function exportQuery(state: ListState, format: ExportFormat) {
  const { scope, sort, columns, isBin, asOf } = state
  const q = completeTerms(state.q)
  const field = fieldsOfColumns(isBin ? withBinColumn(columns) : columns)
  return {
    format,
    scope,
    details: true,
    order_by: sort.by,
    order: sort.order,
    ...(q !== '' && { q }),
    ...(isBin && { pending_delete: 'true' as const }),
    ...(asOf !== undefined && { as_of: asOf }),
    ...(field.includes('metadata') && { with_meta: true }),
    field,
  }
}
