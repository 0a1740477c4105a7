/**
 * Whether the API responds; `since`: when it stopped, in milliseconds. `waitingSince`: the API responds,
 * but not with all data of the page.
 */
export type ConnectionState =
  | { readonly isConnected: true; readonly waitingSince?: number }
  | { readonly isConnected: false; readonly since: number }

interface Options {
  /** A cheap request. Resolves if the API responds, rejects if it fails or is unreachable. */
  readonly probe: (signal: AbortSignal) => Promise<void>
  /** The API responds again: everything on the page is outdated. */
  readonly onReconnect: () => void
  /** Some requests fail although the API responds: retry them. */
  readonly onRetry: () => void
  /** No response for so long that pending requests only block new ones. */
  readonly onHang: () => void
  /** A page in a background tab does not probe. */
  readonly isHidden: () => boolean
}

/**
 * A lost connection is detected within five seconds: the pause before a probe, plus its timeout,
 * plus one tick for each.
 */
const tickEvery = 100
const pause = 2_000
const longestSilence = 2_700
const longestProbe = 10_000
/** A browser opens six connections to a server. */
const maxProbes = 3
const hangAfter = 15_000
const longestRead = 4_800
const retryEvery = 5_000
const refreshEvery = 10_000
/** A longer gap between ticks means that the computer was suspended. */
const suspendedAfter = 5_000

const connected: ConnectionState = { isConnected: true }

/**
 * Monitors the connection to the API while there are listeners. It is disconnected if a probe fails or
 * times out, or if a request of the page fails. Any response proves that the API is only slow: silence
 * counts from the last response, and after slow responses it must be longer.
 *
 * Pages poll once a minute, so without probes a lost API would look alive until the next poll. The API
 * has no event stream. A probe goes through the gateway, as the data does, and requests the service
 * catalog, which needs a valid session and no database rows beyond it.
 */
export function createConnectionMonitor(options: Options) {
  const { probe, onReconnect, onRetry, onHang, isHidden } = options
  const listeners = new Set<() => void>()
  const failingRequests = new Set<string>()
  /** Requests that fail although Muster responds: they are repeated, and say so themselves. */
  const ownFailures = new Set<string>()
  /** Requests that a rate limit rejected, and when. */
  const limitedRequests = new Map<string, number>()
  /** Pending requests for data, and when they were sent. */
  const pendingReads = new Map<symbol, number>()
  const probes = new Map<AbortController, number>()
  let state = connected
  let unansweredSince: number | undefined
  let lastAnswerAt = 0
  /** The slowest of the recent responses. Each faster one halves it. */
  let roundTrip = 0
  let needsRefresh = false
  let lastRefreshAt = 0
  let lastProbeAt = 0
  let lastTickAt = 0
  let lastRetryAt = 0
  let hasHung = false
  let timer: ReturnType<typeof setInterval> | undefined

  const countProblems = (): number => failingRequests.size + ownFailures.size + limitedRequests.size

  function findWaitingSince(): number | undefined {
    const overdue = Date.now() - patience(longestRead)
    const reads = [...pendingReads.values()].filter((startedAt) => startedAt <= overdue)
    const times = [...limitedRequests.values(), ...reads]
    return times.length === 0 ? undefined : Math.min(...times)
  }

  function findState(): ConnectionState {
    if (unansweredSince !== undefined || failingRequests.size > 0) {
      return state.isConnected
        ? { isConnected: false, since: unansweredSince ?? Date.now() }
        : state
    }
    const waitingSince = findWaitingSince()
    if (waitingSince === undefined) return connected
    return state.isConnected && state.waitingSince === waitingSince
      ? state
      : { isConnected: true, waitingSince }
  }

  function publish(): void {
    const next = findState()
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  function abortProbes(before = Infinity): void {
    for (const [control, startedAt] of probes) {
      if (startedAt >= before) continue
      control.abort()
      probes.delete(control)
      // It got no response: changes since then may not be on the page.
      needsRefresh ||= unansweredSince !== undefined
    }
  }

  const patience = (shortest: number): number => Math.max(shortest, 2 * roundTrip)

  function markUnanswered(since: number): void {
    unansweredSince ??= since
    publish()
  }

  function markAnswered(startedAt: number): void {
    const now = Date.now()
    lastAnswerAt = now
    roundTrip = Math.max(now - startedAt, roundTrip / 2)
    hasHung = false
    abortProbes(startedAt)
    unansweredSince = undefined
    if (needsRefresh && now - lastRefreshAt >= refreshEvery) {
      needsRefresh = false
      lastRefreshAt = now
      onReconnect()
    } else if (countProblems() > 0 && now - lastRetryAt >= retryEvery) {
      lastRetryAt = now
      onRetry()
    }
    publish()
  }

  async function runProbe(): Promise<void> {
    const control = new AbortController()
    const startedAt = Date.now()
    lastProbeAt = startedAt
    probes.set(control, startedAt)
    try {
      await probe(control.signal)
      if (!control.signal.aborted) markAnswered(startedAt)
    } catch {
      if (control.signal.aborted) return
      needsRefresh = true
      markUnanswered(startedAt)
    } finally {
      probes.delete(control)
    }
  }

  /** Slow probes first count as a lost connection, and are aborted later. */
  function checkSilence(now: number): void {
    for (const startedAt of probes.values()) {
      const silentSince = Math.max(startedAt, lastAnswerAt)
      if (now - silentSince >= patience(longestSilence)) markUnanswered(startedAt)
    }
    abortProbes(now - patience(longestProbe))
    publish()
    const silentSince = Math.max(unansweredSince ?? now, lastAnswerAt)
    if (!hasHung && now - silentSince >= patience(hangAfter)) {
      hasHung = true
      onHang()
    }
  }

  function tick(): void {
    const now = Date.now()
    const isResumed = now - lastTickAt > suspendedAfter
    lastTickAt = now
    if (isHidden()) return
    if (isResumed) abortProbes()
    checkSilence(now)
    if (probes.size === 0 && now - Math.max(lastAnswerAt, lastProbeAt) >= pause) void runProbe()
    else if (unansweredSince !== undefined && now - lastProbeAt >= longestSilence) {
      if (probes.size < maxProbes) void runProbe()
    }
  }

  function stopIfUnused(): void {
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
    abortProbes()
    unansweredSince = undefined
    needsRefresh = false
    state = failingRequests.size === 0 ? connected : state
  }

  return {
    state: (): ConnectionState => state,

    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      if (timer === undefined) {
        lastTickAt = Date.now()
        timer = setInterval(tick, tickEvery)
      }
      return () => {
        listeners.delete(listener)
        // Where one page replaces another, the new one subscribes right after, and needs the state.
        queueMicrotask(stopIfUnused)
      }
    },

    /** Another request, sent at `startedAt`, got a response, even an error. */
    noteAnswer: markAnswered,

    /** A request for data was sent. Call the returned function when it ends. */
    noteRead(): () => void {
      const key = Symbol('read')
      pendingReads.set(key, Date.now())
      return () => {
        pendingReads.delete(key)
        publish()
      }
    },

    /** Another request failed: probe immediately. */
    noteFailure(): void {
      if (timer !== undefined && probes.size === 0 && !isHidden()) void runProbe()
    },

    /** Marks a query of the page as failing, rejected by a rate limit, or recovered. */
    setProblem(key: string, problem: 'outage' | 'failing' | 'limited' | undefined): void {
      if (problem === 'failing') ownFailures.add(key)
      else ownFailures.delete(key)
      if (problem === 'outage') failingRequests.add(key)
      else failingRequests.delete(key)
      if (problem !== 'limited') limitedRequests.delete(key)
      else if (!limitedRequests.has(key)) limitedRequests.set(key, Date.now())
      publish()
    },

    hasProblem: (key: string): boolean =>
      failingRequests.has(key) || ownFailures.has(key) || limitedRequests.has(key),

    /** The user retries. */
    retry(): void {
      abortProbes()
      lastRetryAt = Date.now()
      if (countProblems() > 0) onRetry()
      void runProbe()
    },
  }
}
