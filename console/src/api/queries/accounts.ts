import { isApiError } from '@muster/sdk'
import type { CloudAccount } from '@muster/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, maxPageSize } from '../client.ts'
import { pollingInterval } from './account-polling.ts'
import { statisticsInterval } from './statistics.ts'

export const accountsPerPage = 100

export interface AccountsFilter {
  readonly search?: string
  readonly status?: CloudAccount['status']
  readonly orderBy: 'name' | 'provider' | 'status' | 'servers'
  readonly order: 'asc' | 'desc'
  /** The first page is 0. */
  readonly page: number
}

const afterFailure = 60_000

/** A user without permission gains none by polling. */
const intervalAfterError = (error: unknown) =>
  isApiError(error, 'ForbiddenError') ? false : afterFailure

export const accountsQuery = (filter: AccountsFilter) =>
  queryOptions({
    queryKey: ['accounts', 'list', filter],
    queryFn: async ({ signal }) => {
      const { search, status, orderBy, order, page } = filter
      // Accounts of one status are sorted by their names.
      const query = { search, status, order_by: [...new Set([orderBy, 'name'])], order }
      const slice = { limit: accountsPerPage, offset: page * accountsPerPage }
      return await api.listCloudAccounts({ query: { ...query, ...slice }, signal })
    },
    refetchInterval: ({ state }) =>
      state.error
        ? intervalAfterError(state.error)
        : pollingInterval(state.data?.cloudaccounts ?? [], Date.now()),
    placeholderData: keepPreviousData,
  })

/** All visible accounts, including disabled ones, from all pages. */
export const allAccountsQuery = queryOptions({
  queryKey: ['accounts', 'every'],
  queryFn: ({ signal }) =>
    Array.fromAsync(api.all('listCloudAccounts', { query: { limit: maxPageSize }, signal })),
  refetchInterval: ({ state }) =>
    state.data?.some(({ status }) => status === 'init') ? 3_000 : statisticsInterval,
})

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', 'one', id],
    queryFn: async ({ signal }) =>
      (await api.getCloudAccount({ parameters: { id }, signal })).cloudaccount,
    refetchInterval: ({ state }) =>
      state.error
        ? intervalAfterError(state.error)
        : pollingInterval(state.data ? [state.data] : [], Date.now()),
  })

/** The last syncs of an account, newest first; read again when a sync begins or ends. */
export const accountSyncsQuery = ({ id, sync }: CloudAccount) =>
  queryOptions({
    queryKey: ['accounts', 'syncs', id, sync.started_at, sync.state === 'running'],
    queryFn: async ({ signal }) =>
      (await api.getCloudAccountSyncs({ parameters: { id }, signal })).syncs,
    placeholderData: keepPreviousData,
  })

/** The supported providers. They change only with the version of Muster. */
export const providersQuery = queryOptions({
  queryKey: ['accounts', 'providers'],
  queryFn: async ({ signal }) => (await api.listCloudProviders({ signal })).providers,
  staleTime: Number.POSITIVE_INFINITY,
})
