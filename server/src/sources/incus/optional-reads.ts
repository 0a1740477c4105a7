import { SourceError } from '../../domain/sources/source-error.ts'
import { NotFound } from './api.ts'

/** The result of a request; undefined if it is denied, which is noted. */
export async function unlessDenied<Result>(
  denied: Set<string>,
  action: string,
  request: (action: string) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await request(action)
  } catch (error) {
    if (!(error instanceof SourceError && error.kind === 'forbidden')) throw error
    denied.add(action)
    return undefined
  }
}

/**
 * Like `unlessDenied`, but a request that is denied or fails has its last result: a failure must not change
 * servers. Without a last result, a failure is thrown. Undefined if there is no such thing.
 */
export async function readOrRecall<Result>(
  [results, key]: readonly [Map<string, Result>, string],
  denied: Set<string>,
  action: string,
  request: (action: string) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const result = await unlessDenied(denied, action, request)
    if (result !== undefined) results.set(key, result)
  } catch (error) {
    if (error instanceof NotFound) results.delete(key)
    else if (!(error instanceof SourceError && ['failed', 'timeout'].includes(error.kind)))
      throw error
    else if (!results.has(key)) throw error
  }
  return results.get(key)
}
