import type { CloudAccount } from '@muster/contract'
import { allAccountsQuery } from '../api/queries/accounts.ts'
import { queryClient } from '../api/query-client.ts'

interface Listed {
  readonly cloudaccounts: readonly CloudAccount[]
}

/** Writes an account from a response into all cached queries. */
export function cacheAccount(account: CloudAccount): void {
  const renew = (known: CloudAccount) => (known.id === account.id ? account : known)
  queryClient.setQueriesData<CloudAccount>(
    { queryKey: ['accounts', 'one'] },
    (known) => known && renew(known),
  )
  queryClient.setQueryData(allAccountsQuery.queryKey, (known) => known?.map(renew))
  queryClient.setQueriesData<Listed>(
    { queryKey: ['accounts', 'list'] },
    (known) => known && { ...known, cloudaccounts: known.cloudaccounts.map(renew) },
  )
}
