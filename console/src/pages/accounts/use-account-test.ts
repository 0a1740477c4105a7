import type { AccountTest, CloudAccount, CloudProvider } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toTest, wayToTest, type Settings } from './account-values.ts'

/** A test, and what exactly was tested: other settings have not been. */
interface Tried {
  readonly of: Settings
  readonly test: AccountTest
}

/** Tries settings with the source, as they are typed or as they are kept. */
export function useAccountTest(
  provider: CloudProvider,
  start: Settings,
  account: CloudAccount | undefined,
) {
  return useMutation({
    // What was tried holds secrets: it goes with the page.
    gcTime: 0,
    mutationFn: async (settings: Settings): Promise<Tried> => {
      const isKept = account && wayToTest(provider, start, settings) === 'kept'
      const { test } = isKept
        ? await api.testCloudAccount({ parameters: { id: account.id } })
        : await api.testNewCloudAccount({ body: { cloudaccount: toTest(provider, settings) } })
      return { of: settings, test }
    },
  })
}
