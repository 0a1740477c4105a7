import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** A setting of Muster. It changes only with a restart. */
export const recycleBinQuery = queryOptions({
  queryKey: ['recycle bin'],
  queryFn: async ({ signal }) => (await api.getRecycleBin({ signal })).recycle_bin,
  staleTime: Number.POSITIVE_INFINITY,
})
