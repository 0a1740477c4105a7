import type {
  DescribeInstancesRequest,
  DescribeInstancesResult,
  Instance,
} from '@aws-sdk/client-ec2'
import type { SourceError } from '../../domain/sources/source-error.ts'
import { UnparsedResponse } from './answer-trouble.ts'
import type { Line } from './line.ts'
import { demandList } from './list-elements.ts'
import { pageThrough } from './page-through.ts'

export interface OwnedInstance {
  /** The number of the account that it belongs to. */
  readonly owner: string
  /** Where there is a problem, only its id is known. */
  readonly instance: Instance
  /** Why it cannot be read. */
  readonly problem?: SourceError
}

export const instancesOf = (
  { Reservations }: DescribeInstancesResult,
  what: string,
): OwnedInstance[] =>
  demandList(Reservations, what).flatMap(({ OwnerId: owner = '', Instances }) =>
    demandList(Instances, what).map((instance) => ({ owner, instance })),
  )

/** The one instance of a response that could not be parsed. */
export function unparsedInstance(id: string, problem: UnparsedResponse): OwnedInstance {
  const owner = /<ownerId>(\d{1,20})<\/ownerId>/.exec(problem.body)?.[1] ?? ''
  return { owner, instance: { InstanceId: id }, problem }
}

interface InstancePage {
  readonly instances: readonly OwnedInstance[]
  readonly NextToken?: string | undefined
}

/** The instances of a region, page by page. */
export function listInstances(
  { region, ask }: Line,
  signal: AbortSignal,
  pageSize = 200,
): AsyncGenerator<OwnedInstance[]> {
  const what = `instances in ${region}`

  async function describe(input: DescribeInstancesRequest): Promise<InstancePage> {
    const page = await ask((ec2, options) => ec2.describeInstances(input, options), signal)
    return { instances: instancesOf(page, what), NextToken: page.NextToken }
  }

  /** Asks for ever fewer until the one that cannot be parsed stands alone. */
  async function findOdd(ids: readonly string[]): Promise<readonly OwnedInstance[]> {
    try {
      const { instances } = await describe({ Filters: [{ Name: 'instance-id', Values: [...ids] }] })
      return instances
    } catch (error) {
      if (!(error instanceof UnparsedResponse)) throw error
      const [id = ''] = ids
      if (ids.length === 1) return [unparsedInstance(id, error)]
      const middle = Math.ceil(ids.length / 2)
      return [...(await findOdd(ids.slice(0, middle))), ...(await findOdd(ids.slice(middle)))]
    }
  }

  async function readPage(token: string | undefined): Promise<InstancePage> {
    try {
      return await describe({
        MaxResults: pageSize,
        ...(token !== undefined && { NextToken: token }),
      })
    } catch (error) {
      if (!(error instanceof UnparsedResponse)) throw error
      const ids = [...error.body.matchAll(/<instanceId>([\w-]+)<\/instanceId>/g)].map(
        ([, id = '']) => id,
      )
      if (ids.length === 0) throw error
      const NextToken = /<nextToken>([^<]+)<\/nextToken>/.exec(error.body)?.[1]
      return { instances: await findOdd([...new Set(ids)]), NextToken }
    }
  }

  return pageThrough({
    what,
    ask: readPage,
    itemsOf: ({ instances }) => instances,
    idOf: ({ instance }) => instance.InstanceId,
  })
}
