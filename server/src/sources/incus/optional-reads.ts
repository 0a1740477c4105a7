import { SourceError } from '../../domain/sources/source-error.ts'
import { unlessDenied } from '../shared/unless-denied.ts'
import { NotFound } from './api.ts'

const isFailure = (error: unknown) =>
  error instanceof SourceError && ['failed', 'timeout'].includes(error.kind)

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
   * thrown then, because it may be brief. Later ones are noted like a denied request, so that scans go on without it.
   */
  async read(
    key: string,
    denied: Set<string>,
    action: string,
    request: (action: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      const result = await unlessDenied(denied, action, request)
      if (result !== undefined) this.#results.set(key, result)
    } catch (error) {
      if (error instanceof NotFound) this.#results.delete(key)
      else if (!isFailure(error)) throw error
      else if (!this.#results.has(key)) this.#noteFailure(key, denied, action, error)
    }
    return this.#results.get(key)
  }

  #noteFailure(key: string, denied: Set<string>, action: string, error: unknown): void {
    if (!this.#failed.has(key)) {
      this.#failed.add(key)
      throw error
    }
    denied.add(`${action} (the daemon reports an error)`)
  }
}
