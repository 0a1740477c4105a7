/** The characters with which a formula of a spreadsheet begins. */
const formula = /^[=+\-@\t\r]/

/**
 * Escapes a cell: commas, quotes and line breaks do not split it, and no spreadsheet runs it as a formula.
 */
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
