import { fromLocalMoment } from '../../form/local-moment.ts'

/** After how many days a key ends, or how else. */
export const keyEndings = ['90', '30', '365', 'never', 'date'] as const
export type KeyEnding = (typeof keyEndings)[number]

const day = 86_400_000

/** The end as the API takes it: null for none, undefined where a date is wanted and there is none. */
export function keyEnd(ending: KeyEnding, date: string, now: number): string | null | undefined {
  if (ending === 'never') return null
  if (ending === 'date') return fromLocalMoment(date)
  return `${new Date(now + Number(ending) * day).toISOString().slice(0, 19)}Z`
}
