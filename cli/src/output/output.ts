import type { Environment, Io } from '../io.ts'
import type { Arguments } from '../grammar/parse-flags.ts'
import type { Format } from '../grammar/flag.ts'
import { UsageError } from '../usage-error.ts'
import { cellText, valueAt } from './cell.ts'
import { createPainter } from './colour.ts'
import { csvLine } from './csv.ts'
import { safeJson, safeLines, safeText } from './safe-text.ts'
import { shellLine } from './shell.ts'
import { renderTable } from './table.ts'

export type Row = Readonly<Record<string, unknown>>

/** Formats that print whole objects, unless columns are named. */
export const isObjectFormat = (format: Format): boolean =>
  format === 'json' || format === 'ndjson' || format === 'yaml'

/** Formats that can be printed page by page. */
const isStream = (format: Format): boolean =>
  format === 'ndjson' || format === 'csv' || format === 'value'

const pick = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, valueAt(row, column)]))

interface ListShape {
  readonly columns: readonly string[]
  /** Whether the columns were named, so that JSON has only these. */
  readonly areChosen: boolean
  /** As in "No servers found." */
  readonly many: string
}

/** Prints the results of commands. Data goes to stdout, everything else to stderr. */
export function createOutput(args: Arguments, io: Io, environment: Environment) {
  const format = (args.isSet('json') ? 'json' : (args.text('format') ?? 'table')) as Format
  const { stdout, stderr } = io
  const isQuiet = args.isSet('quiet')
  const hasHeader = !args.isSet('no-header')
  const isTerminal = stdout.isTTY === true
  const paint = createPainter({ isTerminal, environment, isRefused: args.isSet('no-color') })
  const width = args.number('max-width') ?? (isTerminal ? stdout.columns : undefined)
  let isClosed = false
  stdout.on('error', () => {
    isClosed = true
  })

  const write = (text: string): void => {
    if (text !== '' && !isClosed) stdout.write(text)
  }
  const note = (text: string): void => void stderr.write(`${safeLines(text)}\n`)
  const tableOptions = { hasHeader, width, paint }

  async function yaml(value: unknown): Promise<string> {
    const { stringify } = await import('yaml')
    const text = stringify(value, { lineWidth: 0 })
    // JSON is YAML too, and has escapes for all characters.
    return safeLines(text) === text ? text : `${safeJson(value, 2)}\n`
  }

  /** Prints the rows of a list. A stream of pages is printed as it arrives. */
  function startList({ columns, areChosen, many }: ListShape) {
    if (format === 'shell') throw new UsageError('-f shell is for one item, not for lists.')
    const collected: Row[] = []
    const toObject = (row: Row) => (areChosen ? pick(row, columns) : row)
    const values = (row: Row) => columns.map((column) => valueAt(row, column))
    let hasBegun = false

    function printNow(rows: readonly Row[]): void {
      if (!hasBegun && format === 'csv' && hasHeader) write(csvLine(columns))
      hasBegun = true
      if (format === 'ndjson') write(rows.map((row) => `${safeJson(toObject(row))}\n`).join(''))
      if (format === 'csv') write(rows.map((row) => csvLine(values(row))).join(''))
      if (format === 'value') {
        const lines = rows.map((row) => values(row).map((value) => safeText(cellText(value))))
        write(lines.map((cells) => `${cells.join(' ')}\n`).join(''))
      }
    }

    return {
      add(rows: readonly Row[]): void {
        if (isQuiet) write(rows.map((row) => `${safeText(cellText(idOf(row)))}\n`).join(''))
        else if (isStream(format)) printNow(rows)
        else collected.push(...rows)
      },
      async end(): Promise<void> {
        if (isQuiet) return
        if (isStream(format)) return printNow([])
        if (format === 'json') return write(`${safeJson(collected.map(toObject), 2)}\n`)
        if (format === 'yaml') return write(await yaml(collected.map(toObject)))
        if (collected.length === 0) return note(`No ${many} found.`)
        write(renderTable(columns, collected.map(values), tableOptions))
      },
    }
  }

  /** Prints one item, a field in each line. */
  async function printItem(item: Row, columns?: readonly string[]): Promise<void> {
    const shown = columns ? pick(item, columns) : item
    const entries = Object.entries(shown)
    if (isQuiet) return write(`${safeText(cellText(idOf(item)))}\n`)
    switch (format) {
      case 'json':
        return write(`${safeJson(shown, 2)}\n`)
      case 'ndjson':
        return write(`${safeJson(shown)}\n`)
      case 'yaml':
        return write(await yaml(shown))
      case 'csv':
        return write(
          (hasHeader ? csvLine(entries.map(([name]) => name)) : '') +
            csvLine(entries.map(([, value]) => value)),
        )
      case 'value':
        return write(entries.map(([, value]) => `${safeText(cellText(value))}\n`).join(''))
      case 'shell':
        return write(entries.map(([name, value]) => shellLine(name, value)).join(''))
      case 'table':
        return write(
          renderTable(['field', 'value'], entries, { ...tableOptions, width: undefined }),
        )
    }
  }

  return {
    format,
    isQuiet,
    isTerminal,
    startList,
    printItem,
    note,
    /** Text of the API in its own format. On a terminal, unsafe characters are visible. */
    printText: (text: string): void => write(isTerminal ? safeLines(text) : text),
    write,
    isClosed: () => isClosed,
  }
}

export type Output = ReturnType<typeof createOutput>

/** What names an item in other commands. Some, such as providers, have no id. */
const idOf = (row: Row): unknown => row['id'] ?? row['server_id'] ?? Object.values(row)[0]
