import { fromLocalDateTime } from '../../form/local-date-time.ts'

/** Lifetimes in days, or a special choice. */
export const keyLifetimes = ['90', '30', '365', 'never', 'date'] as const
export type KeyLifetime = (typeof keyLifetimes)[number]

const day = 86_400_000

/** The expiry as an API timestamp; null for never, undefined for a missing date. */
export function keyExpiry(
  ending: KeyLifetime,
  date: string,
  now: number,
): string | null | undefined {
  if (ending === 'never') return null
  if (ending === 'date') return fromLocalDateTime(date)
  return `${new Date(now + Number(ending) * day).toISOString().slice(0, 19)}Z`
}
