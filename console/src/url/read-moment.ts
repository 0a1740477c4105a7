const minute = 60_000
const units: Readonly<Record<string, number>> = {
  m: minute,
  h: 60 * minute,
  d: 1_440 * minute,
  w: 10_080 * minute,
}

const relative = /^-(\d{1,6})([mhdw])$/
const absolute = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+ -]\d\d:\d\d))?$/

/**
 * A moment as the API takes it, in milliseconds: a time, a day, `yesterday`, or a time ago, rounded down to the
 * minute. Undefined if it is none of them.
 */
export function readMoment(text: string, now: number): number | undefined {
  const [, count, unit = ''] = text === 'yesterday' ? ['', 1, 'd'] : (relative.exec(text) ?? [])
  const ago = units[unit]
  if (ago !== undefined) return Math.floor((now - Number(count) * ago) / minute) * minute
  // In an address, `+` stands for a space.
  const time =
    absolute.test(text) && isDay(text.slice(0, 10))
      ? Date.parse(text.replace(' ', '+'))
      : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** Whether the calendar has a day. `Date.parse` takes 30 February as 2 March. */
function isDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/**
 * A moment of an address as a time, so that all requests of a page are about the same one. What is no moment stays
 * as it is: the API says what is wrong with it.
 */
export function resolveMoment(text: string, now: number): string {
  const time = readMoment(text, now)
  return time === undefined ? text : new Date(time).toISOString().replace('.000', '')
}
