import { SourceError } from '../../domain/sources/source-error.ts'

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
