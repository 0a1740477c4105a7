import { createBoundedQueue } from '../domain/bounded-queue.ts'
import type { Principal } from '../domain/identity/principal.ts'

interface Limits {
  /** What waits, in the plural, for error messages. */
  readonly name: string
  /** Limits in bytes: total, for each user and for each token. */
  readonly capacity: number
  readonly perUser: number
  readonly perToken: number
  readonly maxWaiting: number
  readonly maxWaitingPerKey: number
  readonly maxWait: number
}

interface Body {
  readonly principal: Principal | undefined
  /** Estimated size. */
  readonly bytes: number
  /** Called only if the request has to wait. */
  readonly getSignal: () => AbortSignal
}

/**
 * Limits the memory of concurrent response bodies. The limit for each user leaves memory for others,
 * even if a user has many tokens.
 */
export function createResponseMemory({ name, capacity, perUser, perToken, ...waiting }: Limits) {
  const tokens = createBoundedQueue({ name, capacity: Infinity, perKey: perToken, ...waiting })
  const users = createBoundedQueue({ name, capacity, perKey: perUser, ...waiting })

  return {
    /** Waits for free memory and returns a function that releases it. */
    async acquire({ principal, bytes, getSignal }: Body): Promise<() => void> {
      const { id: token = '', userId: user = '' } = principal?.token ?? {}
      const releaseToken = await tokens.acquire({ key: token, weight: bytes, getSignal })
      try {
        const releaseUser = await users.acquire({ key: user, weight: bytes, getSignal })
        return () => {
          releaseUser()
          releaseToken()
        }
      } catch (error) {
        releaseToken()
        throw error
      }
    },
  }
}
export type ResponseMemory = ReturnType<typeof createResponseMemory>
