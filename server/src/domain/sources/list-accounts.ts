import type { CloudAccount } from '@muster/contract'
import { defaultPageSize, maxPageSize } from '@muster/contract'

/** The query parameters of the account list. */
export interface AccountQuery {
  readonly name?: string
  readonly provider?: string
  readonly status?: string
  readonly enabled?: boolean
  readonly project_id?: string
  readonly search?: string
  readonly order_by?: 'created_at' | 'name' | 'provider' | 'status' | 'servers' | 'period'
  readonly order?: 'asc' | 'desc'
  readonly limit?: number
  readonly offset?: number
}

const exact = ['name', 'provider', 'status', 'enabled', 'project_id'] as const

function matches(account: CloudAccount, query: AccountQuery): boolean {
  const { search = '' } = query
  const text = [account.name, account.provider, account.address].join('\n').toLowerCase()
  return (
    exact.every((key) => query[key] === undefined || account[key] === query[key]) &&
    text.includes(search.toLowerCase())
  )
}

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A page of accounts. There are few accounts, so they are filtered and sorted in memory. */
export function pageOfAccounts(accounts: readonly CloudAccount[], query: AccountQuery) {
  const { order_by: by = 'created_at', order = 'desc', offset = 0 } = query
  const limit = Math.min(query.limit ?? defaultPageSize, maxPageSize)
  const sign = order === 'asc' ? 1 : -1
  const found = accounts
    .filter((account) => matches(account, query))
    .toSorted((a, b) => sign * (compare(a[by], b[by]) || compare(a.id, b.id)))
  return {
    cloudaccounts: found.slice(offset, offset + limit),
    limit,
    offset,
    total: found.length,
  }
}
