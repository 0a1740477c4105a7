import { columnNames, columnDefinition, defaultColumns, type ColumnName } from './columns.ts'

/** The columns of a saved view or an export, as field names of the API. */
export function fieldsOfColumns(names: readonly ColumnName[]): string[] {
  return [...new Set(names.flatMap((name) => columnDefinition(name).fields))]
}

/** The columns for these fields. Prefers a column that combines several fields. */
export function columnsOfFields(fields: readonly string[]): readonly ColumnName[] {
  const found: ColumnName[] = []
  for (let at = 0; at < fields.length;) {
    const fitting = columnNames
      .filter((name) =>
        columnDefinition(name).fields.every((field, step) => fields[at + step] === field),
      )
      .sort(
        (one, other) => columnDefinition(other).fields.length - columnDefinition(one).fields.length,
      )
    const [column] = fitting
    if (column) found.push(column)
    at += column === undefined ? 1 : columnDefinition(column).fields.length
  }
  if (found.length === 0) return defaultColumns
  // The name column is always shown.
  return ['name', ...new Set(found.filter((name) => name !== 'name'))]
}
