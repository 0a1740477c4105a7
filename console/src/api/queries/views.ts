import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** The largest page that the API gives. */
const most = 2_048

/** One's own views, and those that others share in the project. */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: async ({ signal }) =>
    (await api.listViews({ query: { limit: most, order_by: 'name', order: 'asc' }, signal })).views,
  staleTime: 30_000,
})
