import { cellText } from './cell.ts'
import { safeText } from './safe-text.ts'

/** The characters with which a formula of a spreadsheet begins. */
const formula = /^[=+\-@\t\r]/

/** As the API writes CSV: no cell is run as a formula. */
function cell(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = cellText(value)
  const safe = safeText(formula.test(text) ? `'${text}` : text)
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`
