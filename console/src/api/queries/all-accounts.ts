import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'

const maxPageSize = 2048

/** All visible accounts, including disabled ones, from all pages. */
export const allAccountsQuery = queryOptions({
  queryKey: ['accounts', 'every'],
  queryFn: ({ signal }) =>
    Array.fromAsync(api.all('listCloudAccounts', { query: { limit: maxPageSize }, signal })),
  refetchInterval: statisticsInterval,
})
