import { fromLocalDateTime } from '../../form/local-date-time.ts'

/** After how many days a key ends, or how else. */
export const keyLifetimes = ['90', '30', '365', 'never', 'date'] as const
export type KeyLifetime = (typeof keyLifetimes)[number]

const day = 86_400_000

/** The end as the API takes it: null for none, undefined where a date is wanted and there is none. */
export function keyExpiry(
  ending: KeyLifetime,
  date: string,
  now: number,
): string | null | undefined {
  if (ending === 'never') return null
  if (ending === 'date') return fromLocalDateTime(date)
  return `${new Date(now + Number(ending) * day).toISOString().slice(0, 19)}Z`
}
