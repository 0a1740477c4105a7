import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

const most = 8
const shown = {
  scope: 'max',
  details: true,
  field: ['id', 'name', 'ips', 'project', 'status'],
} as const

/** A few servers that match the text. */
export const foundServersQuery = (q: string) =>
  queryOptions({
    queryKey: ['servers', 'find', q],
    queryFn: async ({ signal }) =>
      (
        await api.listServers({
          query: { ...shown, field: [...shown.field], q, limit: most },
          signal,
        })
      ).servers,
    enabled: q !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })

/** Those of some servers that the user may see now. Nothing of it is stored. */
export const namedServersQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['servers', 'named', ids],
    queryFn: async ({ signal }) => {
      const query = { ...shown, id: [...ids], limit: ids.length }
      return (await api.listServers({ query, signal })).servers
    },
    enabled: ids.length > 0,
    gcTime: 0,
    retry: false,
  })
