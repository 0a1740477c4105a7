import { SourceError } from '../../domain/sources/source-error.ts'
import { UnknownInstance, UnparsedResponse } from './response-error.ts'
import type { RegionClient } from './region-client.ts'
import {
  instancesOf,
  listInstances,
  unparsedInstance,
  type OwnedInstance,
} from './list-instances.ts'

/** The smallest page size of EC2. */
const smallestPage = 5

async function hasOthers(client: RegionClient, id: string, signal: AbortSignal): Promise<boolean> {
  for await (const page of listInstances(client, signal, smallestPage)) {
    if (page.some(({ instance }) => instance.InstanceId !== id)) return true
  }
  return false
}

/**
 * Finds one instance of a region; undefined if it is gone. That EC2 does not know it is not enough:
 * after a reset of an emulator, or with keys of another account, EC2 knows none. So another
 * instance must still exist.
 */
export async function findInstance(
  client: RegionClient,
  id: string,
  signal: AbortSignal,
): Promise<OwnedInstance | undefined> {
  try {
    // By id, not by filter: only a request by id fails for an unknown instance.
    const answer = await client.call(
      (ec2, options) => ec2.describeInstances({ InstanceIds: [id] }, options),
      signal,
    )
    const found = instancesOf(answer, `instance ${id}`).find(
      ({ instance }) => instance.InstanceId === id,
    )
    if (found) return found
  } catch (error) {
    if (error instanceof UnparsedResponse) return unparsedInstance(id, error)
    if (!(error instanceof UnknownInstance)) throw error
    if (await hasOthers(client, id, signal)) return undefined
    throw new SourceError(
      'incomplete',
      `EC2 in ${client.region} returned neither ${id} nor any other instance. The next sync decides whether it is gone.`,
    )
  }
  throw new SourceError('invalid-response', `EC2 in ${client.region} did not return ${id}.`)
}
