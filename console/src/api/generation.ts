import type { QueryFunctionContext } from '@tanstack/react-query'

/** A response that belongs to a list. Responses of one generation were requested together. */
export interface Generated {
  readonly generation: number
}

let newest = 0

/** The generation of the newest request of a list. */
export const newestGeneration = (): number => newest

/**
 * The generation of a request that starts now. A query that already has a response of the newest
 * generation starts the next one.
 */
export function beginRequest({ client, queryKey }: QueryFunctionContext): number {
  const data = client.getQueryData<Partial<Generated>>(queryKey)
  if (data?.generation === newest) newest += 1
  return newest
}
