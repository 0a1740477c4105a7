import type { EC2, Filter } from '@aws-sdk/client-ec2'
import type { RegionClient } from './region-client.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { paginate } from './paginate.ts'

interface Page {
  readonly $metadata: unknown
  readonly NextToken?: string | undefined
}

interface Listing<Answer extends Page, Thing> {
  /** A filter, because EC2 refuses a list of ids if one of them no longer exists. */
  readonly filter: string
  readonly call: (
    ec2: EC2,
    input: { Filters: Filter[]; MaxResults: number; NextToken?: string },
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
  const find = async (ids: string[], signal: AbortSignal) => {
    const pages = paginate({
      what: `answers by ${filter} in ${region}`,
      call: (token) =>
        call(
          (ec2, options) =>
            listing.call(
              ec2,
              {
                Filters: [{ Name: filter, Values: ids }],
                MaxResults: most,
                ...(token !== undefined && { NextToken: token }),
              },
              options,
            ),
          signal,
        ),
      itemsOf,
      idOf,
    })
    return (await Array.fromAsync(pages)).flat()
  }
  return createLookup(find, idOf, most)
}
