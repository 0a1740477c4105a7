import { PlatformError } from './error.ts'

interface Limits {
  /** What is limited, in the plural, for error messages: "queries". */
  readonly name: string
  /** What everything that runs may weigh together. */
  readonly capacity: number
  /** What the part of one key may weigh: less than the capacity, so that others find room at once. */
  readonly perKey: number
  readonly mostWaiting: number
  readonly mostWaitingPerKey: number
  /** How long one may wait, in milliseconds. */
  readonly longestWait: number
}

interface Ticket {
  readonly weight: number
  readonly start: () => void
}

interface Admission {
  /** Whose it is: keys take turns. */
  readonly key: string
  readonly weight?: number
  /** Nobody waits for it any more once this is aborted. */
  readonly signal?: AbortSignal | undefined
}

/** Rejects work whose client has disconnected. Nobody reads it. */
export const clientGone = () =>
  new PlatformError('ServiceUnavailable', 'The client closed the connection.', { retryAfter: 1 })

/**
 * A weighted semaphore with a bounded queue that keys share by round robin: one key with many
 * waiting delays another by no more than one of its own.
 */
export function createFairQueue(limits: Limits) {
  const { name, capacity, perKey, mostWaiting, mostWaitingPerKey, longestWait } = limits
  /** In the order of turns; who has had a turn goes to the end. */
  const waiting = new Map<string, Ticket[]>()
  const running = new Map<string, number>()
  let used = 0
  let waitingInAll = 0

  const reject = (errorClass: 'TooManyRequests' | 'ServiceUnavailable', details: string) =>
    new PlatformError(errorClass, `${details}: try again shortly.`, { retryAfter: 1 })

  /** Takes room, and returns what gives it back. */
  function take(key: string, weight: number): () => void {
    let isTaken = true
    used += weight
    running.set(key, (running.get(key) ?? 0) + weight)
    return () => {
      if (!isTaken) return
      isTaken = false
      used -= weight
      const rest = (running.get(key) ?? 0) - weight
      if (rest > 0) running.set(key, rest)
      else running.delete(key)
      startNext()
    }
  }

  function remove(key: string, ticket: Ticket): void {
    const own = waiting.get(key) ?? []
    own.splice(own.indexOf(ticket), 1)
    waitingInAll -= 1
    if (own.length === 0) waiting.delete(key)
  }

  const isFree = (key: string, weight: number) =>
    used + weight <= capacity && (running.get(key) ?? 0) + weight <= perKey

  /** The first key in turn that is below its own limit; none while there is no room for it. */
  function findNext(): readonly [string, Ticket] | undefined {
    for (const [key, [ticket]] of waiting) {
      if (!ticket || (running.get(key) ?? 0) + ticket.weight > perKey) continue
      // Lighter ones do not overtake: a heavy one would wait for ever.
      return used + ticket.weight > capacity ? undefined : [key, ticket]
    }
    return undefined
  }

  function startNext(): void {
    for (let next = findNext(); next; next = findNext()) {
      const [key, ticket] = next
      remove(key, ticket)
      const rest = waiting.get(key)
      waiting.delete(key)
      if (rest) waiting.set(key, rest)
      ticket.start()
    }
  }

  function requireRoom(key: string): void {
    if ((waiting.get(key)?.length ?? 0) >= mostWaitingPerKey) {
      throw reject('TooManyRequests', `Too many of your ${name} are waiting`)
    }
    if (waitingInAll >= mostWaiting) {
      throw reject('ServiceUnavailable', `Too many ${name} are waiting`)
    }
  }

  return {
    /** Resolves when it is the key's turn and there is room, to what gives the room back. */
    async acquire({ key, signal, ...asked }: Admission): Promise<() => void> {
      const weight = Math.min(asked.weight ?? 1, perKey)
      if (signal?.aborted === true) throw clientGone()
      if (waiting.size === 0 && isFree(key, weight)) return take(key, weight)
      requireRoom(key)
      return await new Promise((resolve, fail) => {
        const leave = (error: Error) => {
          settle()
          remove(key, ticket)
          fail(error)
          startNext()
        }
        const leaveAborted = () => leave(clientGone())
        const timer = setTimeout(
          () => leave(reject('ServiceUnavailable', `Too many ${name} are under way`)),
          longestWait,
        )
        const settle = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leaveAborted)
        }
        const ticket: Ticket = {
          weight,
          start() {
            settle()
            resolve(take(key, weight))
          },
        }
        signal?.addEventListener('abort', leaveAborted, { once: true })
        waiting.set(key, [...(waiting.get(key) ?? []), ticket])
        waitingInAll += 1
        startNext()
      })
    },
  }
}
