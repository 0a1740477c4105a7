import type { CloudAccount } from '@muster/contract'
import { freshnessOf, isOverdue, type Freshness } from './freshness.ts'
import type { Row } from './row.ts'

/** The last sync of an account; null for never. */
export interface AccountTime {
  readonly name: string
  readonly time: string | null
}

/** The data age of an account. */
interface AccountAge extends AccountTime {
  readonly freshness: Freshness
}

const ageOf = ({ time }: AccountTime, now: number): number =>
  time === null ? Number.POSITIVE_INFINITY : now - Date.parse(time)

function oldestFirst(ages: readonly AccountAge[], now: number): readonly AccountAge[] {
  return ages.toSorted((one, other) => {
    const [first, second] = [ageOf(one, now), ageOf(other, now)]
    return first === second ? 0 : second - first
  })
}

/** Oldest first, without disabled accounts. */
export function agesOfAccounts(accounts: readonly CloudAccount[], now: number) {
  const ages = accounts
    .filter(({ enabled }) => enabled)
    .map((account) => ({
      name: account.name,
      time: account.sync.finished_at,
      freshness: freshnessOf(account, now),
    }))
  return oldestFirst(ages, now)
}

/** For users without access to accounts: the latest sync in the loaded rows. */
export function timesOfRows(rows: readonly Row[]): AccountTime[] {
  const latest = new Map<string, string>()
  for (const { account = '', metadata = {} } of rows) {
    const time = metadata['sys:synced_at'] ?? ''
    if (account !== '' && time > (latest.get(account) ?? '')) latest.set(account, time)
  }
  return [...latest].map(([name, time]) => ({ name, time }))
}

/** The sync interval of these accounts is unknown. */
export function agesOfTimes(times: readonly AccountTime[], now: number) {
  const ages = times.map(({ name, time }) => ({
    name,
    time,
    freshness: isOverdue(time, now) ? ('late' as const) : ('connected' as const),
  }))
  return oldestFirst(ages, now)
}
