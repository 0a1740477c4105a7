import { ApiError } from '@muster/sdk'

/** Errors of the query are shown at the filter, not instead of the list. */
export function queryProblem(error: unknown, filterName: string): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined
  const [field] = error.fields
  return field?.path === 'q' ? `${filterName} ${field.problem}` : error.details
}
