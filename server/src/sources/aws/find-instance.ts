import { chunk } from '../../domain/chunk.ts'
import { UnconfirmedAbsence, SourceError } from '../../domain/sources/source-error.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { UnknownInstance, UnparsedResponse } from './response-error.ts'
import type { RegionClient } from './region-client.ts'
import {
  instancesOf,
  listInstances,
  smallestPage,
  unparsedInstance,
  type OwnedInstance,
} from './list-instances.ts'

const maxIds = 100

async function hasOthers(
  client: RegionClient,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const page of listInstances(client, signal, smallestPage)) {
    if (page.some(({ instance }) => !ids.has(instance.InstanceId ?? ''))) return true
  }
  return false
}

/** Whether one of several regions has other instances. One that fails has none. */
async function haveOthers(
  clients: readonly RegionClient[],
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean> {
  for (const client of clients) {
    try {
      if (await hasOthers(client, ids, signal)) return true
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError)) throw error
    }
  }
  return false
}

type Found = ReadonlyMap<string, OwnedInstance | undefined>

/**
 * Finds instances by id; undefined for those that EC2 does not know. By id instead of by a filter: a filter
 * silently leaves out unknown instances, a request by id fails.
 */
async function describeByIds(
  client: RegionClient,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const both = async (some: readonly string[], others: readonly string[]) =>
    new Map([
      ...(await describeByIds(client, some, signal)),
      ...(await describeByIds(client, others, signal)),
    ])
  const [id] = ids
  if (id === undefined) return new Map()
  const middle = Math.ceil(ids.length / 2)
  try {
    const answer = await client.call(
      (ec2, options) => ec2.describeInstances({ InstanceIds: [...ids] }, options),
      signal,
    )
    const found = new Map(
      instancesOf(answer, `instances in ${client.region}`).map((owned) => [
        owned.instance.InstanceId ?? '',
        owned,
      ]),
    )
    const lacking = ids.find((each) => !found.has(each))
    if (lacking === undefined) return found
    throw new SourceError('invalid-response', `EC2 in ${client.region} did not return ${lacking}.`)
  } catch (error) {
    if (error instanceof UnknownInstance) {
      const unknown = ids.length === 1 ? ids : ids.filter((each) => error.ids.includes(each))
      const rest = ids.filter((each) => !unknown.includes(each))
      if (unknown.length === 0) return await both(ids.slice(0, middle), ids.slice(middle))
      const known = await describeByIds(client, rest, signal)
      return new Map([...known, ...unknown.map((each) => [each, undefined] as const)])
    }
    const isUnparsed = error instanceof UnparsedResponse
    if (isUnparsed && ids.length === 1) return new Map([[id, unparsedInstance(id, error)]])
    if (!isUnparsed && !(error instanceof ResponseTooLarge && ids.length > 1)) throw error
    return await both(ids.slice(0, middle), ids.slice(middle))
  }
}

/**
 * Finds instances of a region in this order; undefined for those that are gone. That EC2 does not know them is
 * not enough: after a reset of an emulator, or with keys of another account, EC2 knows none. So
 * another instance must still exist, here or in another region.
 */
export async function findInstances(
  client: RegionClient,
  others: readonly RegionClient[],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly (OwnedInstance | undefined)[]> {
  const found = new Map<string, OwnedInstance | undefined>()
  for (const some of chunk(ids, maxIds)) {
    for (const [id, owned] of await describeByIds(client, some, signal)) found.set(id, owned)
  }
  const isAnyFound = [...found.values()].some((owned) => owned !== undefined)
  const gone = new Set(ids)
  if (
    !isAnyFound &&
    ids.length > 0 &&
    !(await hasOthers(client, gone, signal)) &&
    !(await haveOthers(others, gone, signal))
  ) {
    throw new UnconfirmedAbsence(
      `EC2 returned neither ${ids[0]} nor any other instance. The next sync decides whether it is gone.`,
    )
  }
  return ids.map((id) => found.get(id))
}
