const day = /^(\d{4}-\d{2}-\d{2})$/
const moment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z?$/

export const microsecondsADay = 86_400_000_000

/** The accepted forms, for error messages. */
export const timestampFormats = '2026-05-04T08:00:00Z, 2026-05-04 08:00:00 or 2026-05-04'

/** A date without a time. */
export const isDay = (text: string) => day.test(text)

/**
 * Parses a time in UTC into microseconds since 1970. A date means its first moment. Undefined if it does not
 * exist.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, date, time = '00:00:00', fraction = ''] = day.exec(text) ?? moment.exec(text) ?? []
  if (date === undefined) return undefined
  const milliseconds = Date.parse(`${date}T${time}Z`)
  // `Date` reads a day such as February 30 as one of the next month.
  const isReal =
    !Number.isNaN(milliseconds) &&
    new Date(milliseconds).toISOString().startsWith(`${date}T${time}`)
  return isReal ? milliseconds * 1000 + Number(fraction.padEnd(6, '0')) : undefined
}

/**
 * A timestamp of the API (`2026-05-04T08:00:00.000000Z`) in microseconds since 1970. A source may report a time that is
 * further away than a number is exact: it becomes the furthest one.
 */
export function microsecondsOf(timestamp: string): number {
  const milliseconds = Date.parse(`${timestamp.slice(0, 23)}Z`)
  const microseconds = milliseconds * 1000 + Number(timestamp.slice(23, 26))
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, microseconds))
}
