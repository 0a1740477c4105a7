import type { IdentityProviderDto, ProviderTest } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

type Options = Readonly<Record<string, string | number | boolean>>

interface Tried {
  readonly of: Options
  readonly test: ProviderTest
}

/** Tests options: those of a provider with changes, or those of a new one. */
export const useProviderTest = (driver: string, provider: IdentityProviderDto | undefined) =>
  useMutation({
    // The variables can have secrets: do not cache them.
    gcTime: 0,
    mutationFn: async (of: Options): Promise<Tried> => {
      const options = { ...of }
      const { test } = provider
        ? await api.testIdentityProvider({
            parameters: { id: provider.id },
            body: { identity_provider: { options } },
          })
        : await api.testNewIdentityProvider({ body: { identity_provider: { driver, options } } })
      return { of, test }
    },
  })
