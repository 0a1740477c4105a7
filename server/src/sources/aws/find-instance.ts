import { chunk } from '../../domain/chunk.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { UnknownInstance, UnparsedResponse } from './response-error.ts'
import type { RegionClient } from './region-client.ts'
import {
  instancesOf,
  listInstances,
  listSome,
  smallestPage,
  unparsedInstance,
  type OwnedInstance,
} from './list-instances.ts'

/** EC2 accepts no more. */
const maxFilterValues = 200

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
async function findInstance(
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

/** Finds instances in this order. Several take one request, besides one for each that it does not return. */
export async function findInstances(
  client: RegionClient,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly (OwnedInstance | undefined)[]> {
  const known = new Map<string, OwnedInstance>()
  for (const some of ids.length > 1 ? chunk(ids, maxFilterValues) : []) {
    for (const owned of await listSome(client, some, signal))
      known.set(owned.instance.InstanceId ?? '', owned)
  }
  const found: (OwnedInstance | undefined)[] = []
  for (const id of ids) found.push(known.get(id) ?? (await findInstance(client, id, signal)))
  return found
}
