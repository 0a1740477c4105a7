import type { AccountsFilter } from '../../api/queries/accounts.ts'
import type { Search } from '../../url/search.ts'

export const statuses = [
  'init',
  'connected',
  'degraded',
  'disconnected',
  'lost',
  'disabled',
] as const
const orderKeys = ['name', 'provider', 'status', 'servers'] as const

/** Reads the filter from the address. Invalid values are ignored. Accounts that fail come first. */
export function readFilter(search: Search): AccountsFilter {
  const status = statuses.find((known) => known === search['status'])
  const page = Math.trunc(Number(search['page'] ?? 1)) - 1
  return {
    ...(search['search'] && { search: search['search'] }),
    ...(status && { status }),
    orderBy: orderKeys.find((known) => known === search['sort']) ?? 'status',
    order: search['order'] === 'desc' ? 'desc' : 'asc',
    page: page > 0 && page < 1_000_000 ? page : 0,
  }
}
