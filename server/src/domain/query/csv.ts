/** What a spreadsheet would take for a formula begins with one of these. */
const formula = /^[=+\-@\t\r]/

/** A cell that no spreadsheet runs, and no comma, quote or line break tears apart. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`

export const csvHeader = (columns: readonly string[]): string => line(columns.map(cell))

export const csvRow = <Column extends string>(
  columns: readonly Column[],
  row: Readonly<Partial<Record<Column, unknown>>>,
): string => line(columns.map((column) => cell(row[column])))
