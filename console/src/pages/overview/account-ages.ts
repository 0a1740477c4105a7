import type { CloudAccount } from '@muster/contract'
import { freshnessOf, type Freshness } from '../../servers/freshness.ts'

const ageOf = ({ sync }: CloudAccount, now: number) =>
  sync.finished_at === null ? Infinity : now - Date.parse(sync.finished_at)

/** Sort order: problems first, disabled accounts last. */
const urgency: readonly Freshness[] = [
  'lost',
  'disconnected',
  'degraded',
  'late',
  'init',
  'connected',
  'disabled',
]

export interface AccountAge {
  readonly account: CloudAccount
  readonly freshness: Freshness
}

/** Stale accounts first, then the oldest sync, then by name. */
export function byAge(accounts: readonly CloudAccount[], now: number): AccountAge[] {
  return accounts
    .map((account) => ({ account, freshness: freshnessOf(account, now), age: ageOf(account, now) }))
    .toSorted(
      (a, b) =>
        urgency.indexOf(a.freshness) - urgency.indexOf(b.freshness) ||
        (a.age === b.age ? 0 : b.age - a.age) ||
        a.account.name.localeCompare(b.account.name),
    )
    .map(({ account, freshness }) => ({ account, freshness }))
}
