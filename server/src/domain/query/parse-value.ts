import type { Value } from './condition.ts'
import type { FieldKind } from './query-fields.ts'
import { timestampFormats, parseTimestamp } from './parse-timestamp.ts'

const flags: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

/** Parses the value of a field, or says what it must be. */
export function parseValue(kind: FieldKind, text: string): { value: Value } | { wanted: string } {
  switch (kind) {
    case 'text':
      return { value: text }
    case 'boolean': {
      const value = Object.hasOwn(flags, text) ? flags[text] : undefined
      return value === undefined ? { wanted: 'true or false' } : { value }
    }
    case 'number':
      return /^-?\d{1,15}$/.test(text) ? { value: Number(text) } : { wanted: 'an integer' }
    case 'timestamp': {
      const value = parseTimestamp(text)
      return value === undefined ? { wanted: `a time such as ${timestampFormats}` } : { value }
    }
  }
}
