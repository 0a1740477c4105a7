import type { EC2, Filter } from '@aws-sdk/client-ec2'
import { chunk } from '../../domain/chunk.ts'
import type { RegionClient } from './region-client.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { collectPages } from '../shared/paginate.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { createPageShrinker } from '../shared/shrink-pages.ts'
import { smallestPage } from './list-instances.ts'
import { UnparsedResponse } from './response-error.ts'

/** Of one list. A region has a few hundred subnets and networks. */
const maxBytes = 16 * 2 ** 20
/** Resources that are cached by id, the last used ones: a region may have any number of servers. */
const maxLoaded = 5_000

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
    const isWanted = (thing: Thing) => ids?.includes(idOf(thing) ?? '') ?? true
    const paging = {
      what: `answers by ${filter} in ${region}`,
      call: async (token: string | undefined) => {
        const page = await readShrinking((MaxResults) => {
          const input = {
            ...(ids && { Filters: [{ Name: filter, Values: [...ids] }] }),
            MaxResults,
            ...(token !== undefined && { NextToken: token }),
          }
          return call((ec2, options) => listing.call(ec2, input, options), signal)
        })
        return { items: itemsOf(page)?.filter(isWanted), next: page.NextToken }
      },
      idOf,
    }
    const budget = new ListBudget(maxBytes)
    const found = await collectPages(paging, { budget, pick: (thing: Thing) => thing })
    const [error] = budget.errors()
    if (error) throw error
    return found
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
  let isWhole = false
  return {
    async load(ids, signal) {
      const needed = new Set<string>()
      for (const id of ids) if (id !== undefined) needed.add(id)
      const missing: string[] = []
      for (const id of needed) {
        const thing = known.get(id)
        if (thing === undefined) missing.push(id)
        else {
          known.delete(id)
          known.set(id, thing)
        }
      }
      for (const some of chunk(missing, chunkSize)) {
        for (const thing of await find(some, signal)) known.set(idOf(thing) ?? '', thing)
      }
      if (isWhole) return
      for (const id of known.keys()) {
        if (known.size <= Math.max(maxLoaded, needed.size)) return
        known.delete(id)
      }
    },
    async loadAll(signal) {
      const things = await find(undefined, signal)
      known.clear()
      isWhole = true
      for (const thing of things) known.set(idOf(thing) ?? '', thing)
    },
    all: () => [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, thing]) => thing),
    get: (id) => (id === undefined ? undefined : known.get(id)),
  }
}
