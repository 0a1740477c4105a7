import { badField } from './error.ts'

/** A moment that a caller named, in milliseconds since 1970. What no calendar has is an error. */
export function readTimestamp(text: string, field: string): number {
  const time = Date.parse(text)
  // A day that no month has would be read as one of the next month.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 19))
  if (!isReal) throw badField(field, 'is not a valid date')
  return time
}
