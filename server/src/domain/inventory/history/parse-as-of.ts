import { badField } from '../../error.ts'
import { readTimestamp } from '../../read-timestamp.ts'

const minute = 60_000
const units = { m: minute, h: 60 * minute, d: 1_440 * minute, w: 10_080 * minute } as const

const relative = /^-(\d{1,6})([mhdw])$/
const date = /^\d{4}-\d{2}-\d{2}$/
/** In a URL, `+` stands for a space. */
const time =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(?:Z|([+ -])(\d{2}):(\d{2}))$/

const asOfFormats =
  'a time such as 2026-05-04T08:00:00Z or 2026-05-04T10:00+02:00, a day such as 2026-05-04 (its start in UTC), yesterday, or -30m, -2h, -7d'

function readAbsolute(text: string): number {
  if (date.test(text)) return readTimestamp(`${text}T00:00:00Z`, 'as_of')
  const [, local = '', sign, hours, minutes] = time.exec(text) ?? []
  if (local === '') throw badField('as_of', `must be ${asOfFormats}`)
  const inUtc = readTimestamp(`${local.length === 16 ? `${local}:00` : local}Z`, 'as_of')
  if (sign === undefined) return inUtc
  const offset = Number(hours) * units.h + Number(minutes) * units.m
  return sign === '-' ? inUtc + offset : inUtc - offset
}

/**
 * Parses a moment of the past into milliseconds since 1970. Relative ones are rounded down to the minute, so
 * that requests of the same minute are about the same moment.
 */
export function parseAsOf(text: string, now: number, isRelativeAllowed = true): number {
  const toMinute = (moment: number) => Math.floor(moment / minute) * minute
  const [, count, unit] = relative.exec(text) ?? []
  const ago = text === 'yesterday' ? units.d : Number(count) * units[unit as keyof typeof units]
  const isRelative = !Number.isNaN(ago)
  if (isRelative && !isRelativeAllowed) {
    throw badField('as_of', 'must be an absolute time here, such as 2026-05-04T08:00:00Z')
  }
  const moment = isRelative ? toMinute(now - ago) : readAbsolute(text)
  if (moment > now) throw badField('as_of', 'is in the future')
  return moment
}
