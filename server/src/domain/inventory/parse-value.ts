import { fields, type Field } from './fields.ts'
import type { Value } from './condition.ts'
import { timestampFormats, parseTimestamp } from './parse-timestamp.ts'

const flags: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

/** A value of a field's own kind, from its text; or in words what it should have been. */
export function parseValue(field: Field, text: string): { value: Value } | { wanted: string } {
  switch (fields[field]) {
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
