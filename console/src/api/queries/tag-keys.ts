import type { ScopeParameter } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

const most = 200

/** The keys of tags of servers, most frequent first, without the prefixes that tell their origin. */
export const tagKeysQuery = (scope: ScopeParameter) =>
  queryOptions({
    queryKey: ['servers', 'tag keys', scope],
    queryFn: async ({ signal }) => {
      const { server } = await api.getTagPairs({
        query: { scope, key_only: true, user_meta: true, cloud_meta: true, limit: most },
        signal,
      })
      return [...new Set(server.data.map(({ key }) => key.slice(key.indexOf(':') + 1)))]
    },
    staleTime: 30_000,
  })
