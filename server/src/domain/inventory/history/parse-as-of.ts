import { badField } from '../../error.ts'
import { readTimestamp } from '../../read-timestamp.ts'

const minute = 60_000
const units = { m: minute, h: 60 * minute, d: 1_440 * minute, w: 10_080 * minute } as const

const relative = /^-(\d{1,6})([mhdw])$/
const date = /^\d{4}-\d{2}-\d{2}$/
/** In a URL, `+` stands for a space. */
const time =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(?:Z|([+ -])([01]\d|2[0-3]):([0-5]\d))$/

const formats =
  'a time such as 2026-05-04T08:00:00Z or 2026-05-04T10:00+02:00, a day such as 2026-05-04 (its start in UTC), yesterday, or -30m, -2h, -7d'

function readAbsolute(text: string, field: string): number {
  if (date.test(text)) return readTimestamp(`${text}T00:00:00Z`, field)
  const [, local = '', sign, hours, minutes] = time.exec(text) ?? []
  if (local === '') throw badField(field, `must be ${formats}`)
  const inUtc = readTimestamp(`${local.length === 16 ? `${local}:00` : local}Z`, field)
  if (sign === undefined) return inUtc
  const offset = Number(hours) * units.h + Number(minutes) * units.m
  return sign === '-' ? inUtc + offset : inUtc - offset
}

/** How long ago it is; undefined for an absolute time. */
function agoOf(text: string): number | undefined {
  if (text === 'yesterday') return units.d
  const [, count, unit] = relative.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * units[unit as keyof typeof units]
}

/**
 * Parses a time into milliseconds since 1970. Relative ones are rounded down to the minute, so that requests
 * of the same minute are about the same moment.
 */
export function parseMoment(text: string, now: number, field: string): number {
  const ago = agoOf(text)
  return ago === undefined ? readAbsolute(text, field) : Math.floor((now - ago) / minute) * minute
}

/** Parses a moment of the past. */
export function parseAsOf(
  text: string,
  now: number,
  isRelativeAllowed = true,
  field = 'as_of',
): number {
  if (!isRelativeAllowed && agoOf(text) !== undefined) {
    throw badField(field, 'must be an absolute time here, such as 2026-05-04T08:00:00Z')
  }
  const moment = parseMoment(text, now, field)
  if (moment > now) throw badField(field, 'is in the future')
  return moment
}
