import { columnNames, columnDefinition, defaultColumns, type ColumnName } from './columns.ts'

/** What a saved view keeps of columns: fields as the API names them, for whoever else opens it. */
export function fieldsOfColumns(names: readonly ColumnName[]): string[] {
  return [...new Set(names.flatMap((name) => columnDefinition(name).fields))]
}

/** The columns that show these fields in this order: of several fields together, the one column that has them all. */
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
  // A row is opened by its name.
  return ['name', ...new Set(found.filter((name) => name !== 'name'))]
}
