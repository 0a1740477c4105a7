/** The indexes of labelled days: the first of each month, or evenly spaced days. */
export function dayTicks(dates: readonly string[], most: number): number[] {
  const months = dates.flatMap((date, at) => (date.endsWith('-01') ? [at] : []))
  const wanted = months.length >= 2 ? months : dates.map((_, at) => at)
  const every = Math.max(1, Math.ceil(wanted.length / most))
  return wanted.filter((_, at) => at % every === 0)
}
