import { SourceError } from '../../domain/sources/source-error.ts'

/** Adds the name of a request to its error, unless the error names another one that it depends on. */
export async function namingCall<Result>(
  call: string,
  request: () => Promise<Result>,
): Promise<Result> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof SourceError && error.call === '') error.call = call
    throw error
  }
}
