import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** What the form of each kind of identity provider needs. It changes with the version only. */
export const driversQuery = queryOptions({
  queryKey: ['identity-provider-drivers'],
  queryFn: async ({ signal }) =>
    (await api.getIdentityProviderDrivers({ signal })).identity_provider_drivers,
  staleTime: Infinity,
})
