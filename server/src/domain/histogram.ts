/** The state of a histogram, as plain data that can be sent to another thread. */
export interface HistogramCounts {
  /** Upper bounds of the buckets, ascending, without infinity. */
  readonly bounds: readonly number[]
  /** How many values are in each bucket; the last one is for values above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

export function createHistogram(bounds: readonly number[]) {
  const counts = [...bounds, Infinity].map(() => 0)
  let sum = 0
  return {
    observe(value: number): void {
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1
      counts[bucket] = (counts[bucket] as number) + 1
      sum += value
    },
    read: (): HistogramCounts => ({ bounds, counts: [...counts], sum }),
  }
}
export type Histogram = ReturnType<typeof createHistogram>
