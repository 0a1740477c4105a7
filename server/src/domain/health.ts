import type { Clock } from './clock.ts'

/** What the clock of the database showed. */
export interface ClockReading {
  /** Milliseconds since 1970. */
  readonly time: number
  /** When it was read, by the monotonic clock of this process (`performance.now`). */
  readonly takenAt: number
  /** Half of the round trip, in milliseconds: the true time lies within this of `time`. */
  readonly uncertainty: number
}

export interface HealthProblem {
  readonly kind: 'database' | 'clock' | 'key'
  /** For an operator: what is wrong. */
  readonly text: string
}

interface Dependencies {
  /** Rejects, with the reason as message, if the database does not answer or cannot write. */
  readonly ping: () => Promise<void>
  /** The clock that all processes share; undefined if there is none or it was not read yet. */
  readonly readClock: () => ClockReading | undefined
  /** What is wrong with the secret key; undefined if nothing is. */
  readonly keyProblem?: () => string | undefined
  readonly clock: Clock
  /** Requests within this time share one check, so that they cannot load the database. Milliseconds. */
  readonly maxAge?: number
  readonly log: Record<'error' | 'warn' | 'info', (fields: object, message: string) => void>
}

const checkInterval = 5_000
const defaultMaxAge = 250
const longestCheck = 3_000
const warnedOffset = 1_000
const maxClockOffset = 5_000

const inSeconds = (ms: number) => `${(Math.abs(ms) / 1_000).toFixed(1)} s`

/** Watches whether this process can serve, and logs the start and the end of each problem. */
export function createHealth(dependencies: Dependencies) {
  const { ping, readClock, keyProblem, clock, log, maxAge = defaultMaxAge } = dependencies
  let problems: readonly HealthProblem[] = []
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<readonly HealthProblem[]> | undefined
  let isClockWarned = false
  let timer: NodeJS.Timeout | undefined

  /** By how many milliseconds this clock is ahead of the database's, at least. Negative: behind. */
  function clockOffset(): number | undefined {
    const reading = readClock()
    if (!reading) return undefined
    const difference = clock() - reading.time - (performance.now() - reading.takenAt)
    return Math.sign(difference) * Math.max(0, Math.abs(difference) - reading.uncertainty)
  }

  async function pingInTime(): Promise<void> {
    const late = Promise.withResolvers<never>()
    const limit = setTimeout(
      () =>
        late.reject(new Error(`The database does not respond within ${inSeconds(longestCheck)}.`)),
      longestCheck,
    )
    await Promise.race([ping(), late.promise]).finally(() => clearTimeout(limit))
  }

  async function findStorageProblem(): Promise<HealthProblem[]> {
    try {
      await pingInTime()
      const text = keyProblem?.()
      return text === undefined ? [] : [{ kind: 'key', text }]
    } catch (error) {
      return [{ kind: 'database', text: (error as Error).message }]
    }
  }

  function findClockProblem(): HealthProblem[] {
    const offset = clockOffset() ?? 0
    const direction = offset > 0 ? 'ahead of' : 'behind'
    const text = `The clock of this machine is ${inSeconds(offset)} ${direction} that of the database. At most ${inSeconds(maxClockOffset)} are allowed.`
    const isWarned = Math.abs(offset) > warnedOffset
    if (isWarned && !isClockWarned) log.warn({ offset_ms: Math.round(offset) }, text)
    isClockWarned = isWarned
    return Math.abs(offset) > maxClockOffset ? [{ kind: 'clock', text }] : []
  }

  function note(found: readonly HealthProblem[]): void {
    const has = (list: readonly HealthProblem[], wanted: HealthProblem) =>
      list.some(({ kind }) => kind === wanted.kind)
    for (const problem of found) {
      if (!has(problems, problem)) log.error({ reason: problem.text }, 'not ready')
    }
    if (found.length === 0 && problems.length > 0) log.info({}, 'ready again')
    problems = found
    checkedAt = performance.now()
  }

  async function checkNow(): Promise<readonly HealthProblem[]> {
    try {
      note([...(await findStorageProblem()), ...findClockProblem()])
      return problems
    } finally {
      checking = undefined
    }
  }

  async function check(): Promise<readonly HealthProblem[]> {
    if (performance.now() - checkedAt < maxAge) return problems
    return await (checking ??= checkNow())
  }

  return {
    check,
    /** The result of the last check. */
    problems: () => problems,
    clockOffset,
    /** Checks at intervals, so that problems are logged without requests. */
    start(): void {
      timer ??= setInterval(() => void check(), checkInterval).unref()
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await checking
    },
  }
}
export type Health = ReturnType<typeof createHealth>
