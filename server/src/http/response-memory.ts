import { createBoundedQueue } from '../domain/bounded-queue.ts'
import type { Principal } from '../domain/identity/principal.ts'

interface Limits {
  /** Bytes, for all together, for one user and for one token. */
  readonly capacity: number
  readonly perUser: number
  readonly perToken: number
  readonly maxWaiting: number
  readonly maxWaitingPerKey: number
  readonly maxWait: number
}

interface Body {
  readonly principal: Principal | undefined
  /** About how many bytes it has. */
  readonly bytes: number
  readonly signal: AbortSignal
}

/**
 * Limits the bytes of bodies that are in memory at the same time. Users share the whole, so that one
 * with many tokens leaves room for others; tokens share what their user may take.
 */
export function createResponseMemory({ capacity, perUser, perToken, ...waiting }: Limits) {
  const name = 'requests for pages'
  const tokens = createBoundedQueue({ name, capacity: Infinity, perKey: perToken, ...waiting })
  const users = createBoundedQueue({ name, capacity, perKey: perUser, ...waiting })

  return {
    /** Resolves when there is room, to what gives it back. */
    async acquire({ principal, bytes, signal }: Body): Promise<() => void> {
      const { id: token = '', userId: user = '' } = principal?.token ?? {}
      const releaseToken = await tokens.acquire({ key: token, weight: bytes, signal })
      try {
        const releaseUser = await users.acquire({ key: user, weight: bytes, signal })
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
