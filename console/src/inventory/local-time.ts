export const minute = 60_000

const two = (value: number) => String(value).padStart(2, '0')

/** The form of a field for a date and a time, in the time zone of the browser. */
export function toLocalTime(time: number): string {
  const date = new Date(time)
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** In milliseconds; undefined while it is incomplete. */
export function fromLocalTime(text: string): number | undefined {
  const time = text === '' ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** As the API takes a moment, rounded down to the minute. */
export const toMoment = (time: number): string =>
  new Date(Math.floor(time / minute) * minute).toISOString().replace('.000', '')
