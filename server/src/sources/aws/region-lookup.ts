import type { EC2, Filter } from '@aws-sdk/client-ec2'
import { chunk } from '../../domain/chunk.ts'
import type { RegionClient } from './region-client.ts'
import { collectPages } from '../shared/paginate.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { createPageShrinker } from '../shared/shrink-pages.ts'
import { smallestPage } from './list-instances.ts'
import { UnparsedResponse } from './response-error.ts'

/** Resources that instances refer to by id. */
export interface Lookup<Thing> {
  /** Loads the resources that are not loaded yet. */
  load(ids: Iterable<string | undefined>, signal: AbortSignal): Promise<void>
  /** Replaces what is loaded by all resources of the region. */
  loadAll(signal: AbortSignal): Promise<void>
  /** Undefined if it does not exist or is not visible. */
  get(id: string | undefined): Thing | undefined
  /** What is loaded, ordered by id. */
  all(): readonly Thing[]
}

interface Page {
  readonly $metadata: unknown
  readonly NextToken?: string | undefined
}

interface Listing<Answer extends Page, Thing> {
  /** A filter, because EC2 rejects a list of ids if one of them no longer exists. */
  readonly filter: string
  readonly call: (
    ec2: EC2,
    input: { Filters?: Filter[]; MaxResults: number; NextToken?: string },
    options: { abortSignal: AbortSignal },
  ) => Promise<Answer>
  readonly itemsOf: (page: Answer) => readonly Thing[] | undefined
  readonly idOf: (thing: Thing) => string | undefined
  /** The chunk size, if smaller than the default. */
  readonly most?: number
}

/** Creates a lookup of one type of resource in a region. */
export function createRegionLookup<Answer extends Page, Thing>(
  { region, call }: RegionClient,
  { filter, most = 200, itemsOf, idOf, ...listing }: Listing<Answer, Thing>,
): Lookup<Thing> {
  const readShrinking = createPageShrinker(
    { largest: most, smallest: smallestPage },
    (error) => error instanceof ResponseTooLarge || error instanceof UnparsedResponse,
  )

  /** Without ids it finds all. */
  const find = async (ids: readonly string[] | undefined, signal: AbortSignal) => {
    return await collectPages({
      what: `answers by ${filter} in ${region}`,
      call: async (token) => {
        const page = await readShrinking((MaxResults) => {
          const input = {
            ...(ids && { Filters: [{ Name: filter, Values: [...ids] }] }),
            MaxResults,
            ...(token !== undefined && { NextToken: token }),
          }
          return call((ec2, options) => listing.call(ec2, input, options), signal)
        })
        return { items: itemsOf(page), next: page.NextToken }
      },
      idOf,
    })
  }
  return createLookup(find, idOf, most)
}

/** Loads resources in chunks and caches them by id. */
function createLookup<Thing>(
  find: (ids: readonly string[] | undefined, signal: AbortSignal) => Promise<readonly Thing[]>,
  idOf: (thing: Thing) => string | undefined,
  chunkSize: number,
): Lookup<Thing> {
  const known = new Map<string, Thing>()
  return {
    async load(ids, signal) {
      const missing = new Set<string>()
      for (const id of ids) if (id !== undefined && !known.has(id)) missing.add(id)
      for (const some of chunk([...missing], chunkSize)) {
        for (const thing of await find(some, signal)) known.set(idOf(thing) ?? '', thing)
      }
    },
    async loadAll(signal) {
      const things = await find(undefined, signal)
      known.clear()
      for (const thing of things) known.set(idOf(thing) ?? '', thing)
    },
    all: () => [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, thing]) => thing),
    get: (id) => (id === undefined ? undefined : known.get(id)),
  }
}
