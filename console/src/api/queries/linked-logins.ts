import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** Logins of a user at identity providers. */
export const linkedLoginsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['linked-logins', userId],
    queryFn: async ({ signal }) =>
      (await api.getLinkedLogins({ parameters: { id: userId }, signal })).linked_logins,
  })

/** The identity providers of a domain. */
export const identityProvidersQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['identity_providers', domainId],
    queryFn: async ({ signal }) => {
      const query = { domain_id: domainId }
      return (await api.listIdentityProviders({ query, signal })).identity_providers
    },
  })
