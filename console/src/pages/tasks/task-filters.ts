import type { TaskFilters } from '../../api/queries/task-query.ts'
import type { Search } from '../../url/search.ts'

/** Filters that links set, and that can only be removed. */
export const linkedFilters = ['server_id', 'user_id', 'batch_id', 'since'] as const

const names = ['status', 'action', 'search', ...linkedFilters] as const

/** The filters in the address. Batches have neither a server nor a text to search. */
export function readTaskFilters(search: Search, isBatches: boolean): TaskFilters {
  const known = isBatches ? (['status', 'action', 'user_id', 'batch_id'] as const) : names
  return Object.fromEntries(
    known.flatMap((name) => {
      const value = search[name]?.trim()
      return value ? [[name, value]] : []
    }),
  )
}
