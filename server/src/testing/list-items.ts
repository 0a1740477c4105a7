import type { ClientResponse } from './client.ts'

const isFeed = (body: unknown): boolean =>
  typeof body !== 'object' || body === null || Array.isArray(body) || '_meta' in body

/** The items of a list, whatever their key. For a feed, the ids in it. */
export const itemsOf = ({ body, text }: ClientResponse): readonly unknown[] =>
  isFeed(body)
    ? (text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [])
    : (Object.values(body as Record<string, unknown>).find((value) => Array.isArray(value)) ?? [])
