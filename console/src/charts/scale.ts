/** Rounds up to 1, 2 or 5 times a power of ten, at least 1. */
function niceStep(least: number): number {
  if (least <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power
}

export interface Scale {
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
}

/** Below this relative spread, a scale from 0 would show a straight line. */
const narrow = 0.25

/** An axis with round numbers. Starts at 0 unless the values are too close together. */
export function scaleFor(values: readonly number[], steps: number): Scale {
  const most = Math.max(1, ...values)
  const least = Math.min(most, ...values)
  const isNarrow = most > least && (most - least) / most < narrow
  const step = niceStep((isNarrow ? most - least : most) / steps)
  const from = isNarrow ? Math.floor(least / step) * step : 0
  const to = Math.max(from + step, Math.ceil(most / step) * step)
  const count = Math.round((to - from) / step)
  return { from, to, ticks: Array.from({ length: count + 1 }, (_, at) => from + at * step) }
}

/** The position of a value on the axis, from 0 to 1. */
export const positionOn = ({ from, to }: Scale, value: number): number =>
  (value - from) / (to - from)

/** The length of a bar in percent. Small values stay visible. */
export function shareOf(value: number, most: number): string {
  if (value <= 0 || most <= 0) return '0%'
  return `${Math.min(100, Math.max(0.4, Math.round((value / most) * 10_000) / 100))}%`
}
