import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

export const accessKeysQuery = (userId: string) =>
  queryOptions({
    queryKey: ['credentials', userId],
    queryFn: async ({ signal }) => {
      const query = { user_id: userId, sort_key: 'created_at', sort_dir: 'desc' } as const
      return (await api.listCredentials({ query, signal })).credentials
    },
    refetchInterval: 60_000,
  })

/** The public URL of the identity API. It comes from the catalog, since the console may have another origin. */
export const identityUrlQuery = queryOptions({
  queryKey: ['catalog', 'identity'],
  queryFn: async ({ signal }) => {
    const { catalog } = await api.showAuthCatalog({ signal })
    const identity = catalog.find(({ type }) => type === 'identity')
    return identity?.endpoints.find((endpoint) => endpoint.interface === 'public')?.url ?? ''
  },
  staleTime: Number.POSITIVE_INFINITY,
})
