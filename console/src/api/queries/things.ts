import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Kind } from '../kind-operations.ts'
import { getThing, listThings, readImpact, type ListQuery } from '../things.ts'

const pageSize = '200'
const calm = 60_000

/** A list page by page, narrowed and sorted by the API. */
export const thingsQuery = <K extends Kind>(kind: K, query: ListQuery) =>
  infiniteQueryOptions({
    queryKey: [kind, 'list', query],
    queryFn: ({ pageParam, signal }) =>
      listThings(kind, { ...query, limit: pageSize, marker: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ marker }) => marker,
    placeholderData: keepPreviousData,
    refetchInterval: calm,
  })

/** A whole page of the largest size: to choose from, and to give ids their names. */
export const choicesQuery = <K extends Kind>(kind: K) =>
  queryOptions({
    queryKey: [kind, 'choices'],
    queryFn: async ({ signal }) => (await listThings(kind, {}, signal)).things,
    staleTime: calm,
  })

/** The one of exactly this name, however far down its list it is. */
export const namedQuery = <K extends Kind>(kind: K, name: string) =>
  queryOptions({
    queryKey: [kind, 'named', name],
    queryFn: async ({ signal }) => (await listThings(kind, { name }, signal)).things,
  })

export const thingQuery = <K extends Kind>(kind: K, id: string) =>
  queryOptions({
    queryKey: [kind, 'one', id],
    queryFn: ({ signal }) => getThing(kind, id, signal),
    refetchInterval: calm,
  })

export const impactQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: [kind, 'impact', id],
    queryFn: ({ signal }) => readImpact(kind, id, signal),
    staleTime: 0,
    gcTime: 0,
  })
