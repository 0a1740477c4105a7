import type { Host } from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import { paginate } from '../shared/paginate.ts'
import type { RegionClient } from './region-client.ts'

interface FoundHosts {
  /** By id; undefined if it could not be read. */
  readonly hosts: ReadonlyMap<string, Host | undefined>
  /** The key may not list hosts: older keys lack this permission, and servers can be read without it. */
  readonly isForbidden: boolean
  readonly failure?: SourceError
}

/** Finds Dedicated Hosts by id. */
export async function findHosts(
  { region, call }: RegionClient,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<FoundHosts> {
  const hosts = new Map<string, Host | undefined>([...ids].map((id) => [id, undefined]))
  if (ids.size === 0) return { hosts, isForbidden: false }
  const paging = {
    what: `hosts in ${region}`,
    // EC2 has no filter by id, and rejects a list of ids if one of them no longer exists.
    call: async (token: string | undefined) => {
      const { Hosts: items, NextToken: next } = await call(
        (ec2, options) => ec2.describeHosts({ MaxResults: 500, NextToken: token }, options),
        signal,
      )
      return { items, next }
    },
    idOf: ({ HostId }: Host) => HostId,
  }
  try {
    for await (const page of paginate(paging)) {
      for (const host of page) if (ids.has(host.HostId ?? '')) hosts.set(host.HostId ?? '', host)
    }
    return { hosts, isForbidden: false }
  } catch (error) {
    if (signal.aborted || !(error instanceof SourceError)) throw error
    if (error.kind === 'forbidden') return { hosts, isForbidden: true }
    return { hosts, isForbidden: false, failure: error }
  }
}
