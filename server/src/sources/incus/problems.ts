import { SourceError } from '../../domain/sources/source-error.ts'
import { NotFound } from '../shared/status-error.ts'
import { unlessDenied } from '../shared/unless-denied.ts'
import type { Api } from './api.ts'

/** Details without which a scan continues. */
export interface Problems {
  /** Requests that the certificate does not allow. */
  readonly denied: Set<string>
  /** The last error of each kind of request. */
  readonly failed: Map<string, SourceError>
  /** What could not be read, such as `pool fast`. It must not look absent. */
  readonly unread: Set<string>
}

export const noProblems = (): Problems => ({
  denied: new Set(),
  failed: new Map(),
  unread: new Set(),
})

/** Notes the failure of a request for details. Anything else is thrown, such as the end of the scan. */
export function noteFailure({ failed }: Problems, { signal }: Api, action: string, error: unknown) {
  if (signal.aborted || !(error instanceof SourceError)) throw error
  failed.set(action, error)
}

/** The details; undefined if the request is denied or fails, or if they do not exist. */
export async function readDetails<Result>(
  problems: Problems,
  api: Api,
  what: string,
  action: string,
  request: (action: string) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await unlessDenied(problems.denied, action, request)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    noteFailure(problems, api, action, error)
    problems.unread.add(what)
    return undefined
  }
}
