export interface Day {
  readonly date: string
  readonly count: number
  readonly isEstimated: boolean
  readonly q: string
  readonly words: string
}
