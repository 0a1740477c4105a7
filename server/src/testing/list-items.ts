import type { ClientResponse } from './client.ts'

/** The items of a list, whatever it calls them. */
export const itemsOf = ({ body }: ClientResponse): readonly unknown[] =>
  Object.values(body as Record<string, unknown>).find((value) => Array.isArray(value)) ?? []
