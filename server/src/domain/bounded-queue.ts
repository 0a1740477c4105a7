import { PlatformError } from './error.ts'

interface Limits {
  /** What is limited, in the plural, for error messages: "queries". */
  readonly name: string
  /** The total weight that may run at the same time. */
  readonly capacity: number
  /** The weight that one key may run; less than the capacity leaves room for other keys. */
  readonly perKey?: number
  readonly maxWaiting?: number
  readonly maxWaitingPerKey?: number
  /** In milliseconds. */
  readonly maxWait?: number
}

interface Ticket {
  readonly weight: number
  readonly start: () => void
}

interface Admission {
  /** Keys take turns; without one everything shares a single first-in, first-out queue. */
  readonly key?: string
  readonly weight?: number
  /** An aborted request leaves the queue. Called only if it has to wait. */
  readonly getSignal?: () => AbortSignal | undefined
  /** Waits without a limit on the length of the queue or on the time. */
  readonly isPatient?: boolean
}

/** What the metrics show about a queue. */
export interface QueueCounts {
  /** The total weight that runs now. */
  readonly running: number
  readonly waiting: number
  /** Since the process started. */
  readonly started: number
  readonly rejected: number
  readonly waitedSeconds?: number
}

/** Rejects work whose client has disconnected. No one reads this error. */
export const clientGone = () =>
  new PlatformError('ServiceUnavailable', 'The client closed the connection.', { retryAfter: 1 })

/**
 * A weighted semaphore with a bounded queue. Keys share it by round robin, so a key with many
 * requests waiting delays another key by one request at most.
 */
export function createBoundedQueue(limits: Limits) {
  const { name, capacity, perKey = capacity } = limits
  const { maxWaiting = Infinity, maxWaitingPerKey = Infinity, maxWait } = limits
  /** In the order of turns: a key that had its turn moves to the end. */
  const waiting = new Map<string, Ticket[]>()
  const running = new Map<string, number>()
  let used = 0
  let waitingCount = 0
  let started = 0
  let rejected = 0
  let waitedMs = 0

  function reject(errorClass: 'TooManyRequests' | 'ServiceUnavailable', details: string) {
    rejected += 1
    return new PlatformError(errorClass, `${details}. Try again shortly.`, { retryAfter: 1 })
  }

  /** Takes capacity and returns the function that releases it. */
  function take(key: string, weight: number): () => void {
    let isHeld = true
    started += 1
    used += weight
    running.set(key, (running.get(key) ?? 0) + weight)
    return () => {
      if (!isHeld) return
      isHeld = false
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
    waitingCount -= 1
    if (own.length === 0) waiting.delete(key)
  }

  const isFree = (key: string, weight: number) =>
    used + weight <= capacity && (running.get(key) ?? 0) + weight <= perKey

  /** The first waiting ticket whose key is below its own limit; none while it does not fit. */
  function findNext(): readonly [string, Ticket] | undefined {
    for (const [key, [ticket]] of waiting) {
      if (!ticket || (running.get(key) ?? 0) + ticket.weight > perKey) continue
      // Light tickets do not overtake a heavy one: it would starve.
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
    if ((waiting.get(key)?.length ?? 0) >= maxWaitingPerKey) {
      throw reject('TooManyRequests', `Too many of your ${name} are waiting`)
    }
    if (waitingCount >= maxWaiting) {
      throw reject('ServiceUnavailable', `Too many ${name} are waiting`)
    }
  }

  /** Resolves when the request may run, to the function that releases its capacity. */
  async function acquire(admission: Admission = {}): Promise<() => void> {
    const { key = '', getSignal, isPatient = false, ...rest } = admission
    const weight = Math.min(rest.weight ?? 1, perKey)
    if (waiting.size === 0 && isFree(key, weight)) return take(key, weight)
    const signal = getSignal?.()
    if (signal?.aborted === true) throw clientGone()
    if (!isPatient) requireRoom(key)
    const since = performance.now()
    return await new Promise((resolve, fail) => {
      const leave = (error: Error) => {
        settle()
        remove(key, ticket)
        fail(error)
        startNext()
      }
      const leaveAborted = () => leave(clientGone())
      const leaveLate = () => leave(reject('ServiceUnavailable', `Too many ${name} are running`))
      const isLimited = maxWait !== undefined && !isPatient
      const timer = isLimited ? setTimeout(leaveLate, maxWait) : undefined
      const settle = () => {
        waitedMs += performance.now() - since
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
      const own = waiting.get(key)
      if (own) own.push(ticket)
      else waiting.set(key, [ticket])
      waitingCount += 1
      startNext()
    })
  }

  return {
    acquire,
    /** Runs the work when it may, and releases its capacity when it ends. */
    async run<Result>(work: () => Promise<Result>, admission?: Admission): Promise<Result> {
      const release = await acquire(admission)
      try {
        return await work()
      } finally {
        release()
      }
    },
    counts: (): QueueCounts => ({
      running: used,
      waiting: waitingCount,
      started,
      rejected,
      waitedSeconds: waitedMs / 1_000,
    }),
  }
}
export type BoundedQueue = ReturnType<typeof createBoundedQueue>
