import { cellText } from './cell.ts'
import { safeText } from './safe-text.ts'

/** Assignments that `eval` of a shell can read: `name='web-7'`. */
export function shellLine(column: string, value: unknown): string {
  const name = column.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_')
  return `${name}='${safeText(cellText(value)).replaceAll("'", String.raw`'\''`)}'\n`
}
