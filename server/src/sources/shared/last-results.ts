import { SourceError, type SourceErrorKind } from '../../domain/sources/source-error.ts'
import { NotFound } from './status-error.ts'
import { unlessDenied } from './unless-denied.ts'

const failures: ReadonlySet<SourceErrorKind> = new Set([
  'failed',
  'timeout',
  'throttled',
  'invalid-response',
  'incomplete',
])

/** Details that a scan goes on without. */
export interface Problems {
  /** Requests that the credentials do not allow. */
  readonly denied: Set<string>
  /** The last error of each kind of request. What it returned before is used. */
  readonly failed: Map<string, SourceError>
}

export const noProblems = (): Problems => ({ denied: new Set(), failed: new Map() })

/** Requests of one kind with their last results: a failure must not change servers. */
export class LastResults<Result> {
  readonly #results = new Map<string, Result>()
  /** Failed requests without a last result. */
  readonly #failed = new Set<string>()

  get(key: string): Result | undefined {
    return this.#results.get(key)
  }

  /**
   * The result, or the last one if the request is denied or fails. Undefined if there is none. The first failure is
   * thrown then: it may be brief, and stored servers would lose their details.
   */
  async read(
    key: string,
    { denied, failed }: Problems,
    action: string,
    request: (action: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      const result = await unlessDenied(denied, action, request)
      if (result !== undefined) this.#results.set(key, result)
    } catch (error) {
      if (!(error instanceof SourceError && failures.has(error.kind))) throw error
      if (error instanceof NotFound) this.#results.delete(key)
      else {
        if (!this.#results.has(key) && !this.#failed.has(key)) {
          this.#failed.add(key)
          throw error
        }
        failed.set(action, error)
      }
    }
    return this.#results.get(key)
  }
}
