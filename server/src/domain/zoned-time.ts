import { badField } from './error.ts'

export interface ZonedTime {
  /** The day and the hour of milliseconds since 1970 in a time zone. */
  (time: number): { readonly day: string; readonly hour: string }
}

/** Milliseconds. Offsets of time zones are multiples of this, so days and hours begin and end with it. */
export const quarter = 900_000

function createFormat(timeZone: string, field: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      timeZoneName: 'longOffset',
    })
  } catch {
    throw badField(field, 'is not a known time zone, such as Europe/Berlin')
  }
}

/** `field` is where the request gives the time zone. */
export function createZonedTime(timeZone: string, field: string): ZonedTime {
  const format = createFormat(timeZone, field)
  // What is counted comes in the order of their time, and formatting takes long.
  let known: { readonly start: number; readonly at: ReturnType<ZonedTime> } | undefined
  return function zonedTime(time) {
    const start = Math.floor(time / quarter) * quarter
    if (known?.start === start) return known.at
    const parts = new Map(format.formatToParts(start).map(({ type, value }) => [type, value]))
    const day = ['year', 'month', 'day'].map((type) => parts.get(type as 'day')).join('-')
    // `GMT+02:00`, or `GMT` alone.
    const offset = parts.get('timeZoneName')?.slice(3) || '+00:00'
    known = { start, at: { day, hour: `${day}T${parts.get('hour')}:00${offset}` } }
    return known.at
  }
}
