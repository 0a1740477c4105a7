import { queryOptions } from '@tanstack/react-query'
import { api, maxPageSize } from '../client.ts'

/** The user's own views, and those shared in the project. */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: async ({ signal }) =>
    (await api.listViews({ query: { limit: maxPageSize, order_by: 'name', order: 'asc' }, signal }))
      .views,
  staleTime: 30_000,
})
