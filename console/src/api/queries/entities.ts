import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Kind } from '../kind-operations.ts'
import { getEntity, listEntities, readImpact, type ListQuery } from '../entities.ts'

const pageSize = '200'
const pollInterval = 60_000

/** A list, page by page; the API filters and sorts. */
export const entitiesQuery = <K extends Kind>(kind: K, query: ListQuery) =>
  infiniteQueryOptions({
    queryKey: [kind, 'list', query],
    queryFn: ({ pageParam, signal }) =>
      listEntities(kind, { ...query, limit: pageSize, marker: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ marker }) => marker,
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  })

/** One page of the maximum size, to choose from and to resolve ids to names. */
export const choicesQuery = <K extends Kind>(kind: K) =>
  queryOptions({
    queryKey: [kind, 'choices'],
    queryFn: async ({ signal }) => (await listEntities(kind, {}, signal)).entities,
    staleTime: pollInterval,
  })

/** The entity with exactly this name, also when it is beyond the loaded pages. */
export const namedQuery = <K extends Kind>(kind: K, name: string) =>
  queryOptions({
    queryKey: [kind, 'named', name],
    queryFn: async ({ signal }) => (await listEntities(kind, { name }, signal)).entities,
  })

export const entityQuery = <K extends Kind>(kind: K, id: string) =>
  queryOptions({
    queryKey: [kind, 'one', id],
    queryFn: ({ signal }) => getEntity(kind, id, signal),
    refetchInterval: pollInterval,
  })

export const impactQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: [kind, 'impact', id],
    queryFn: ({ signal }) => readImpact(kind, id, signal),
    staleTime: 0,
    gcTime: 0,
  })
