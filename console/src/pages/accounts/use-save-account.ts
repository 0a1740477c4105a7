import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toChanges, toNewAccount, type AccountValues } from './account-values.ts'
import { cacheAccount } from '../../servers/cache-account.ts'

/** An existing account with the form's initial values. */
interface Before {
  readonly id: string
  readonly start: AccountValues
}

async function save(
  provider: CloudProvider,
  before: Before | undefined,
  values: AccountValues,
): Promise<CloudAccount> {
  if (!before) {
    const body = { cloudaccount: toNewAccount(provider, values) }
    return (await api.createCloudAccount({ body })).cloudaccount
  }
  const body = { cloudaccount: toChanges(provider, before.start, values) }
  return (await api.updateCloudAccount({ parameters: { id: before.id }, body })).cloudaccount
}

/** Creates or updates an account. */
export function useSaveAccount(
  provider: CloudProvider,
  before: Before | undefined,
  onSaved: (account: CloudAccount) => void,
) {
  return useMutation({
    // The variables contain secrets: do not cache them.
    gcTime: 0,
    mutationFn: (values: AccountValues) => save(provider, before, values),
    onSuccess(saved) {
      cacheAccount(saved)
      for (const list of ['list', 'every']) {
        void queryClient.invalidateQueries({ queryKey: ['accounts', list] })
      }
      onSaved(saved)
    },
  })
}
