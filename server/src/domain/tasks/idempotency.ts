import { hash } from 'node:crypto'
import { maxIdempotencyKeyLength } from '@muster/contract'
import { badField, PlatformError } from '../error.ts'
import type { IdempotencyRecord, TaskStore } from './ports.ts'

/** How long a repeated request returns the first result instead of acting again. */
export const idempotencyLifetime = 86_400_000

/** A request that may be a repetition. */
export interface RepeatableRequest {
  readonly key: string | undefined
  readonly method: string
  /** With the query string. */
  readonly path: string
  readonly body: unknown
}

const hashOf = ({ method, path, body }: RepeatableRequest): string =>
  hash('sha256', JSON.stringify([method, path, body ?? null]), 'base64url')

/** Finds out whether a request was accepted before. */
export function createIdempotency(tasks: Pick<TaskStore, 'findIdempotency'>, clock: () => number) {
  return {
    /** The record of the first request; undefined if this is the first one. */
    async findFirst(
      userId: string,
      request: RepeatableRequest,
    ): Promise<IdempotencyRecord | undefined> {
      const { key } = request
      if (key === undefined) return undefined
      if (key.length > maxIdempotencyKeyLength) {
        throw badField('Idempotency-Key', `must be at most ${maxIdempotencyKeyLength} characters`)
      }
      const first = await tasks.findIdempotency(userId, key, clock() - idempotencyLifetime)
      if (first && first.request_hash !== hashOf(request)) {
        throw new PlatformError(
          'IdempotencyError',
          'This Idempotency-Key was used for another request. Use a new key for each request.',
        )
      }
      return first
    },
    /** What is stored with the task or the batch. */
    recordOf(
      userId: string,
      request: RepeatableRequest,
      ids: Pick<IdempotencyRecord, 'task_id' | 'batch_id'>,
    ): IdempotencyRecord | undefined {
      const { key } = request
      if (key === undefined) return undefined
      const request_hash = hashOf(request)
      return { user_id: userId, key, request_hash, ...ids, created_at: clock() }
    },
  }
}
export type Idempotency = ReturnType<typeof createIdempotency>
