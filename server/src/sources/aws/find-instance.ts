import { SourceError } from '../../domain/sources/source-error.ts'
import { UnknownInstance, UnparsedResponse } from './response-error.ts'
import type { Line } from './line.ts'
import {
  instancesOf,
  listInstances,
  unparsedInstance,
  type OwnedInstance,
} from './list-instances.ts'

/** EC2 gives no smaller pages. */
const smallestPage = 5

async function hasOthers(line: Line, id: string, signal: AbortSignal): Promise<boolean> {
  for await (const page of listInstances(line, signal, smallestPage)) {
    if (page.some(({ instance }) => instance.InstanceId !== id)) return true
  }
  return false
}

/**
 * One instance of a region; undefined where it is gone. That EC2 does not know it is not enough: an
 * emulator that was reset, or an account that the keys now belong to instead, does not either. So
 * something else has to be there still.
 */
export async function findInstance(
  line: Line,
  id: string,
  signal: AbortSignal,
): Promise<OwnedInstance | undefined> {
  try {
    // By its id, not by a filter: a filter that finds nothing is no fault, and so says nothing.
    const answer = await line.ask(
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
    if (await hasOthers(line, id, signal)) return undefined
    throw new SourceError(
      'incomplete',
      `EC2 in ${line.region} returned neither ${id} nor any other instance. The next sync decides whether it is gone.`,
    )
  }
  throw new SourceError('garbled', `EC2 in ${line.region} did not return ${id}.`)
}
