const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Months and years differ in length. */
const longestExact = 86_400

export type Format = ReturnType<typeof createFormat>

/** `Intl` formats in one language, created once because that is slow. */
export function createFormat(language: string) {
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
  const dateTime = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
  })
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  const localDay = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  const fullDay = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' })
  const hourMinute = new Intl.DateTimeFormat(language, { timeStyle: 'short', hourCycle: 'h23' })
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' })
  const inUnit = (unit: string) => {
    const format = new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: 1,
    })
    return (value: number) => format.format(value)
  }
  const sizes = { mb: inUnit('megabyte'), gb: inUnit('gigabyte'), tb: inUnit('terabyte') }
  const long = new Map(
    units.map(([unit]) => [
      unit,
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }),
    ]),
  )
  const spans = { ms: inUnit('millisecond'), s: inUnit('second'), min: inUnit('minute') }

  return {
    number: (value: number) => number.format(value),
    percent: (part: number, whole: number) => percent.format(whole === 0 ? 0 : part / whole),
    /** From MB, as the API counts memory and disks. */
    size(megabytes: number): string {
      if (megabytes < 1024) return sizes.mb(megabytes)
      if (megabytes < 1024 * 1024) return sizes.gb(megabytes / 1024)
      return sizes.tb(megabytes / 1024 / 1024)
    },
    dateTime: (time: string) => dateTime.format(new Date(time)),
    day: (date: string) => day.format(new Date(`${date}T00:00:00Z`)),
    /** The day of a time, for the user. */
    localDay: (at: number) => localDay.format(at),
    /** With the weekday. */
    fullDay: (date: string) => fullDay.format(new Date(`${date}T00:00:00Z`)),
    hourMinute: (at: number) => hourMinute.format(at),
    clock: (at: number) => clock.format(at),
    /** Clocks differ slightly: a time a few seconds ahead counts as now. */
    ago(time: string, now: number): string {
      const difference = (new Date(time).getTime() - now) / 1000
      const seconds = difference > 0 && difference < 15 ? 0 : difference
      const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[5]
      return relative.format(Math.trunc(seconds / length), unit)
    },
    /** "3 hours": in the largest unit that fits, or `exactly` in days or less, without a rest. */
    span(seconds: number, exactly = false): string {
      const fits = (length: number) =>
        seconds >= length && !(exactly && (length > longestExact || seconds % length > 0))
      const [unit, length] = units.find(([, length]) => fits(length)) ?? units[5]
      return long.get(unit)?.format(Math.trunc(seconds / length)) ?? ''
    },
    /** From milliseconds. */
    duration(ms: number): string {
      if (ms < 1000) return spans.ms(ms)
      if (ms < 60_000) return spans.s(ms / 1000)
      return spans.min(ms / 60_000)
    },
  }
}
