import type {
  DescribeInstancesRequest,
  DescribeInstancesResult,
  Instance,
} from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import { UnparsedResponse } from './response-error.ts'
import type { RegionClient } from './region-client.ts'
import { requireList } from './list-elements.ts'
import { paginate } from '../shared/paginate.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { createPageShrinker } from '../shared/shrink-pages.ts'

export interface OwnedInstance {
  /** The id of the AWS account that owns it. */
  readonly owner: string
  /** With a problem, only the id is set. */
  readonly instance: Instance
  /** Why it cannot be read. */
  readonly problem?: SourceError
}

export const instancesOf = (
  { Reservations }: DescribeInstancesResult,
  what: string,
): OwnedInstance[] =>
  requireList(Reservations, what).flatMap(({ OwnerId: owner = '', Instances }) =>
    requireList(Instances, what).map((instance) => ({ owner, instance })),
  )

/** AWS uses numbers as owner ids; compatible systems use any text. */
const ownerPattern = /<ownerId>\s*([^<\s]{1,128})\s*<\/ownerId>/g

/** The only instance of a response that could not be parsed. */
export function unparsedInstance(id: string, problem: UnparsedResponse): OwnedInstance {
  const owner = problem.body.matchAll(ownerPattern).next().value?.[1] ?? ''
  // Without the response, which may be large.
  const { kind, message } = problem
  return { owner, instance: { InstanceId: id }, problem: new SourceError(kind, message) }
}

/** An instance that an unparsable list contains but that a lookup by id does not find. */
function unfoundInstance(id: string, body: string, what: string): OwnedInstance {
  // In the response the owner comes before the instances of a reservation.
  const preceding = body.slice(0, body.indexOf(`<instanceId>${id}<`))
  const owner = [...preceding.matchAll(ownerPattern)].at(-1)?.[1] ?? ''
  const problem = new SourceError(
    'incomplete',
    `The list of ${what} contains ${id}, but a lookup by id does not find it.`,
  )
  return { owner, instance: { InstanceId: id }, problem }
}

/** The limits of EC2 for the size of a page. */
export const smallestPage = 5
const maxListed = 1_000

function* idsIn(body: string): Generator<string> {
  for (const [, id = ''] of body.matchAll(/<instanceId>([\w-]+)<\/instanceId>/g)) yield id
}

interface InstancePage {
  readonly items: readonly OwnedInstance[]
  readonly next: string | undefined
}

/** Reads instances, and isolates those that cannot be parsed. */
function createReader({ region, call }: RegionClient, signal: AbortSignal) {
  const what = `instances in ${region}`
  const paging = {
    what,
    idOf: ({ instance }: OwnedInstance) => instance.InstanceId,
  }

  async function describe(input: DescribeInstancesRequest): Promise<InstancePage> {
    const page = await call((ec2, options) => ec2.describeInstances(input, options), signal)
    return { items: instancesOf(page, what), next: page.NextToken }
  }

  /** Reads instances by ids, over several pages if needed. */
  async function describeSome(ids: readonly string[]): Promise<readonly OwnedInstance[]> {
    const pages = paginate({
      ...paging,
      async call(NextToken) {
        const { items, next } = await describe({
          Filters: [{ Name: 'instance-id', Values: [...ids] }],
          ...(NextToken !== undefined && { NextToken }),
        })
        return { items: items.filter((item) => ids.includes(paging.idOf(item) ?? '')), next }
      },
    })
    return (await Array.fromAsync(pages)).flat()
  }

  /** Bisects a list until the unparsable instance is alone. */
  async function findUnparsable(ids: readonly string[]): Promise<readonly OwnedInstance[]> {
    try {
      return await describeSome(ids)
    } catch (error) {
      const isUnparsed = error instanceof UnparsedResponse
      if (!isUnparsed && !(error instanceof ResponseTooLarge)) throw error
      const [id = ''] = ids
      if (ids.length === 1) return isUnparsed ? [unparsedInstance(id, error)] : []
      const middle = Math.ceil(ids.length / 2)
      return [
        ...(await findUnparsable(ids.slice(0, middle))),
        ...(await findUnparsable(ids.slice(middle))),
      ]
    }
  }

  return { paging, describe, findUnparsable }
}

/** The instances of a region, page by page. */
export function listInstances(
  client: RegionClient,
  signal: AbortSignal,
  pageSize = 200,
): AsyncGenerator<OwnedInstance[]> {
  const { paging, describe, findUnparsable } = createReader(client, signal)
  const { what } = paging
  const readShrinking = createPageShrinker({ largest: pageSize, smallest: smallestPage })

  async function readPage(token: string | undefined): Promise<InstancePage> {
    try {
      return await readShrinking((MaxResults) =>
        describe({ MaxResults, ...(token !== undefined && { NextToken: token }) }),
      )
    } catch (error) {
      if (!(error instanceof UnparsedResponse)) throw error
      const { body } = error
      const ids = [...new Set(idsIn(body))]
      if (ids.length === 0 || ids.length > maxListed) throw error
      const next = /<nextToken>([^<]+)<\/nextToken>/.exec(body)?.[1]
      const found = await findUnparsable(ids)
      const foundIds = new Set(found.map(({ instance }) => instance.InstanceId))
      // An instance counts as gone only if a list does not contain it.
      const unfound = ids
        .filter((id) => !foundIds.has(id))
        .map((id) => unfoundInstance(id, body, what))
      return { items: [...found, ...unfound], next }
    }
  }

  return paginate({ ...paging, call: readPage })
}
