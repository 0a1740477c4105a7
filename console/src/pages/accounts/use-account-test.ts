import type { AccountTest, CloudAccount, CloudProvider } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toTest, wayToTest, type Settings } from './account-values.ts'

/** A test result with the settings it is for. */
interface Tried {
  readonly of: Settings
  readonly test: AccountTest
}

/** Tests the typed or the stored settings. */
export function useAccountTest(
  provider: CloudProvider,
  start: Settings,
  account: CloudAccount | undefined,
) {
  return useMutation({
    // The variables contain secrets: do not cache them.
    gcTime: 0,
    mutationFn: async (settings: Settings): Promise<Tried> => {
      const usesStored = account && wayToTest(provider, start, settings) === 'stored'
      const { test } = usesStored
        ? await api.testCloudAccount({ parameters: { id: account.id } })
        : await api.testNewCloudAccount({ body: { cloudaccount: toTest(provider, settings) } })
      return { of: settings, test }
    },
  })
}
