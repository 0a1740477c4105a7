export interface Point {
  readonly x: number
  readonly y: number
  /** Estimated. */
  readonly isLoose: boolean
}

export interface Run {
  readonly isLoose: boolean
  readonly points: readonly Point[]
}

/** Splits a line into counted and estimated segments. */
export function splitRuns(points: readonly Point[]): Run[] {
  const runs: { isLoose: boolean; points: Point[] }[] = []
  for (const [at, point] of points.entries()) {
    const previous = points[at - 1]
    if (!previous) continue
    const isLoose = point.isLoose || previous.isLoose
    const run = runs.at(-1)
    if (run?.isLoose === isLoose) run.points.push(point)
    else runs.push({ isLoose, points: [previous, point] })
  }
  return runs
}

const rounded = (value: number) => Math.round(value * 100) / 100

export const linePath = (points: readonly Point[]): string =>
  points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join('')

/** The area below a line. */
export function areaPath(points: readonly Point[], ground: number): string {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return ''
  return `${linePath(points)}L${rounded(last.x)} ${ground}L${rounded(first.x)} ${ground}Z`
}
