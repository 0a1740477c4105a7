import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

const most = 8

/** A few servers for what somebody types: the API searches, nothing is loaded in advance. */
export const findServersQuery = (q: string) =>
  queryOptions({
    queryKey: ['servers', 'find', q],
    queryFn: async ({ signal }) => {
      const field = ['id', 'name', 'ips', 'project', 'status']
      const { servers } = await api.listServers({
        query: { q, limit: most, scope: 'max', details: true, field },
        signal,
      })
      return servers
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
