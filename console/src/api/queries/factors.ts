import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'

/** The second factors of a user. */
export const factorsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['factors', userId],
    queryFn: ({ signal }) => api.getFactors({ parameters: { id: userId }, signal }),
  })
