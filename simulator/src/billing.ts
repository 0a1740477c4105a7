import { below, chance, pick, roll, stamp } from './random-hash.ts'

const day = 86_400_000
const cycles = [
  ['1M', 30],
  ['1M', 30],
  ['3M', 91],
  ['6M', 182],
  ['1Y', 365],
] as const
const prepaidShare = 0.2
const expiredShare = 0.12

export interface Billing {
  readonly billing_type: string
  readonly billing_cycle: string
  readonly expired_at: string | null
  readonly auto_renew: boolean
  readonly is_prepaid_recycle: boolean
}

const postpaid: Billing = {
  billing_type: 'postpaid',
  billing_cycle: '',
  expired_at: null,
  auto_renew: false,
  is_prepaid_recycle: false,
}

/** An expiry within the billing cycle, counted from the last change; some are expired. */
export function billingOf(dice: number, since: number): Billing {
  if (chance(dice, 100) >= prepaidShare) return postpaid
  const [billing_cycle, days] = pick(dice, 101, cycles)
  const isExpired = chance(dice, 102) < expiredShare
  const left = isExpired ? -(1 + below(dice, 103, 20)) : 1 + below(dice, 103, days)
  return {
    billing_type: 'prepaid',
    billing_cycle,
    expired_at: stamp(since + left * day, roll(dice, 104)),
    auto_renew: !isExpired && chance(dice, 105) < 0.5,
    is_prepaid_recycle: chance(dice, 106) < 0.05,
  }
}
