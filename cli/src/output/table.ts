import { cellText } from './cell.ts'
import { safeText } from './safe-text.ts'

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
const mark = /\p{M}/u

/** The number of columns of a terminal. */
function widthOf(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += mark.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let result = ''
  for (const character of text) {
    if (widthOf(result + character) > width - 1) break
    result += character
  }
  return `${result}…`
}

const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Microseconds say nothing to people. */
const tidy = (text: string): string =>
  text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, '$1Z')

const tableCell = (value: unknown): string => safeText(tidy(cellText(value)))

const gap = '  '
const narrowest = 8

/** Takes from the widest columns first, so that the table fits. */
function fit(widths: readonly number[], total: number | undefined): number[] {
  const fitted = [...widths]
  if (total === undefined) return fitted
  const used = () =>
    fitted.reduce((sum, width) => sum + width, 0) + gap.length * (fitted.length - 1)
  while (used() > total) {
    const widest = Math.max(...fitted)
    if (widest <= narrowest) break
    fitted[fitted.indexOf(widest)] = widest - 1
  }
  return fitted
}

interface TableOptions {
  readonly hasHeader: boolean
  /** The width of the terminal. Undefined: cells are never shortened. */
  readonly width: number | undefined
  /** Colours a cell, after it has its width. */
  readonly paint: (text: string, column: string, value: string) => string
}

/** Lines with aligned columns. Cells are never wrapped. */
export function renderTable(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  { hasHeader, width, paint }: TableOptions,
): string {
  const cells = rows.map((row) => row.map(tableCell))
  const header = columns.map((column) => safeText(column).toUpperCase())
  const shown = hasHeader ? [header, ...cells] : cells
  const widths = fit(
    columns.map((_, index) =>
      shown.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), 0),
    ),
    width,
  )
  return shown
    .map((row, number) => {
      const isHeader = hasHeader && number === 0
      const texts = row.map((cell, index) => {
        const limit = widths[index] ?? 0
        const short = shorten(cell, limit)
        // Without blanks at the end of a line.
        const padded = index === row.length - 1 ? short : pad(short, limit)
        return paint(padded, isHeader ? '' : (columns[index] ?? ''), cell)
      })
      return `${texts.join(gap).trimEnd()}\n`
    })
    .join('')
}
