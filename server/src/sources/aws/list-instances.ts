import type { DescribeInstancesResult, Instance } from '@aws-sdk/client-ec2'
import type { Line } from './line.ts'
import { demandList } from './list-elements.ts'
import { pageThrough } from './page-through.ts'

export interface OwnedInstance {
  /** The number of the account that it belongs to. */
  readonly owner: string
  readonly instance: Instance
}

export const instancesOf = (
  { Reservations }: DescribeInstancesResult,
  what: string,
): OwnedInstance[] =>
  demandList(Reservations, what).flatMap(({ OwnerId: owner = '', Instances }) =>
    demandList(Instances, what).map((instance) => ({ owner, instance })),
  )

/** The instances of a region, page by page. */
export function listInstances(
  { region, ask }: Line,
  signal: AbortSignal,
  pageSize = 200,
): AsyncGenerator<OwnedInstance[]> {
  const what = `instances in ${region}`
  return pageThrough({
    what,
    ask: (token) =>
      ask(
        (ec2, options) =>
          ec2.describeInstances(
            {
              MaxResults: pageSize,
              ...(token !== undefined && { NextToken: token }),
            },
            options,
          ),
        signal,
      ),
    itemsOf: (page) => instancesOf(page, what),
    idOf: ({ instance }) => instance.InstanceId,
  })
}
