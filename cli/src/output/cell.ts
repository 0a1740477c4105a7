import { safeJson } from './safe-text.ts'

/** The value at `metadata.user:env`: the first part is a field, the rest a key in it. */
export function valueAt(row: Readonly<Record<string, unknown>>, column: string): unknown {
  if (column in row) return row[column]
  const [field = '', ...rest] = column.split('.')
  if (rest.length === 0) return undefined
  const inner = row[field]
  return typeof inner === 'object' && inner !== null
    ? (inner as Record<string, unknown>)[rest.join('.')]
    : undefined
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** The text of a value outside JSON. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value) && value.every(isPlain)) return value.map(cellText).join(', ')
  const { name } = value as { readonly name?: unknown }
  // A reference, such as the role of an assignment.
  if (typeof name === 'string' && Object.keys(value).every((key) => referenceKeys.has(key))) {
    return name
  }
  return safeJson(value)
}

const referenceKeys: ReadonlySet<string> = new Set(['id', 'name', 'domain'])
