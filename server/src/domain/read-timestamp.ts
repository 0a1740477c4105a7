import { badField } from './error.ts'

/** Parses a timestamp into milliseconds since 1970; a date that does not exist is an error. */
export function readTimestamp(text: string, field: string): number {
  const time = Date.parse(text)
  // `Date.parse` reads February 30 as a day in March.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 19))
  if (!isReal) throw badField(field, 'is not a valid date')
  return time
}
