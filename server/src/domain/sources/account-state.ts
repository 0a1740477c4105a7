import type { SyncCounts, SyncRecord } from './account.ts'
import { backoffDelay, nextScanDelay, type Random } from './backoff.ts'
import { nextRemoval } from './missing-servers.ts'
import type { Scanned } from './scan-account.ts'
import type { FailedPart } from './source.ts'

/**
 * The state of an account that this process runs, as a state machine without effects:
 *
 *     waiting ─ beginScan ▶ starting ─ startStored ▶ scanning ─ sourceClosed ▶ recording
 *        ▲                                                                        │
 *        └──────── completeScan, failScan (back-off) or postponeScan ◀────────────┘
 *
 * A scan can fail or be postponed in each of the three phases. `requestScan` brings the next scan
 * forward in every phase; `markUnreachable` happens while waiting. `run-account.ts` performs the effects.
 * The phases are not stored: after a crash, the account's row still says that a scan is due.
 */
export type AccountState = History &
  (
    | { readonly phase: 'waiting' }
    /** The start of the scan is being stored. */
    | { readonly phase: 'starting' }
    /** The source is being opened and read. */
    | { readonly phase: 'scanning' }
    /** The source is closed, the result is being stored. */
    | { readonly phase: 'recording' }
  )

interface History {
  /** When the next scan is due; Infinity during a scan unless another one was requested. */
  readonly nextAt: number
  /** When the last scan began to read its source. */
  readonly scanStartedAt: number
  /** Of the last complete scan. */
  readonly counts: SyncCounts
  /** Failed scans in a row. */
  readonly failures: number
  /** Whether the last scan failed. Then the count of consecutive scans that miss a server restarts. */
  readonly isAfterFailure: boolean
  readonly lastError: unknown
  /** When the source last answered successfully. */
  readonly answeredAt: number
  /** Whether the servers were set to unknown because the source does not answer. */
  readonly isUnreachable: boolean
  /** When the last scan was complete, or when this process started. */
  readonly scannedAt: number
  /** What the last complete scan could not read, and when each part was last read. */
  readonly failing: readonly { readonly part: FailedPart; readonly readAt: number }[]
}

/** Time and account settings for the transitions. */
export interface Timing {
  readonly now: number
  /** Milliseconds between complete scans. */
  readonly period: number
  readonly random: Random
}

const periodsUntilUnreachable = 3
const failuresUntilSuspended = 5

export const initialState = (sync: SyncRecord, now: number): AccountState => ({
  phase: 'waiting',
  nextAt: sync.next_at,
  scanStartedAt: -Infinity,
  counts: {
    seen: sync.seen,
    created: sync.created,
    changed: sync.changed,
    gone: sync.gone,
  },
  failures: sync.failures,
  isAfterFailure: sync.failures > 0,
  lastError: undefined,
  // The time before this process started does not count as unreachable.
  answeredAt: now,
  isUnreachable: sync.is_unreachable,
  scannedAt: now,
  failing: [],
})

export type NextStep =
  | { readonly kind: 'scan' }
  | { readonly kind: 'mark-unreachable' }
  | { readonly kind: 'sleep'; readonly until: number }

/** What to do while waiting. */
export function nextStep(state: AccountState, { now, period }: Omit<Timing, 'random'>): NextStep {
  const unreachableAt = state.isUnreachable
    ? Infinity
    : state.answeredAt + periodsUntilUnreachable * period
  if (state.nextAt <= now) return { kind: 'scan' }
  if (unreachableAt <= now) return { kind: 'mark-unreachable' }
  return { kind: 'sleep', until: Math.min(state.nextAt, unreachableAt) }
}

/** After 5 consecutive failures only scans contact the source, to see whether it is back. */
export const isSuspended = ({ failures }: AccountState): boolean =>
  failures >= failuresUntilSuspended

/**
 * Brings the next scan forward. A request that was read at `knownAt`, before the last scan began, is
 * answered by that scan.
 */
export function requestScan(state: AccountState, at: number, knownAt?: number): AccountState {
  const isAnswered =
    knownAt !== undefined && (state.phase === 'starting' || knownAt <= state.scanStartedAt)
  return at >= state.nextAt || isAnswered ? state : { ...state, nextAt: at }
}

/**
 * Scans soon after the event stream failed, because the source may be down. No extra scan is needed
 * while one is running, or if one failed with the same error: a lost connection counts as one failure.
 */
export const watchFailed = (state: AccountState, error: unknown, now: number): AccountState =>
  state.phase === 'scanning' || error === state.lastError ? state : requestScan(state, now)

export const beginScan = (state: AccountState): AccountState => ({
  ...state,
  phase: 'starting',
  nextAt: Infinity,
})

export const startStored = (state: AccountState, now: number): AccountState => ({
  ...state,
  phase: 'scanning',
  scanStartedAt: now,
})

export const sourceAnswered = (state: AccountState, now: number): AccountState => ({
  ...state,
  answeredAt: now,
})

export const sourceClosed = (state: AccountState): AccountState => ({
  ...state,
  phase: 'recording',
})

const readAtOf = ({ failing, scannedAt }: AccountState, part: FailedPart): number =>
  failing.find((other) => other.part.region === part.region && other.part.tenant === part.tenant)
    ?.readAt ?? scannedAt

/** Whether a region has not answered for so long that its servers become `unknown`. */
export const isPartSilent = (
  state: AccountState,
  part: FailedPart,
  { now, period }: Omit<Timing, 'random'>,
): boolean => now >= readAtOf(state, part) + periodsUntilUnreachable * period

/**
 * The next scan is due after the period, when the hold of a missing server ends, or when the servers of a
 * failing region become `unknown`.
 */
export function completeScan(
  state: AccountState,
  { counts, held, failed }: Pick<Scanned, 'counts' | 'held' | 'failed'>,
  { now, period, random, hold }: Timing & { readonly hold: number },
): AccountState {
  const failing = failed
    .filter(({ hasServers }) => hasServers !== true)
    .map((part) => ({ part, readAt: readAtOf(state, part) }))
  const silentAt = failing
    .map(({ readAt }) => readAt + periodsUntilUnreachable * period)
    .filter((at) => at > now)
  const nextAt = Math.min(
    state.nextAt,
    nextRemoval(held, { now, hold }),
    now + nextScanDelay(period, random),
    ...silentAt,
  )
  return {
    ...state,
    phase: 'waiting',
    nextAt,
    counts,
    failures: 0,
    isAfterFailure: false,
    isUnreachable: false,
    answeredAt: now,
    scannedAt: now,
    failing,
  }
}

/** The next attempt is due after a back-off. */
export function failScan(state: AccountState, error: unknown, timing: Timing): AccountState {
  const { now, period, random } = timing
  const failures = state.failures + 1
  return {
    ...state,
    phase: 'waiting',
    nextAt: Math.min(state.nextAt, now + backoffDelay(failures, period, random, error)),
    failures,
    isAfterFailure: true,
    lastError: error,
  }
}

/** The storage did not accept the result. This does not count as a failure of the source. */
export const postponeScan = (
  state: AccountState,
  { now, period, random }: Timing,
): AccountState => ({
  ...state,
  phase: 'waiting',
  nextAt: Math.min(state.nextAt, now + backoffDelay(1, period, random)),
  answeredAt: now,
})

export const markUnreachable = (state: AccountState): AccountState => ({
  ...state,
  isUnreachable: true,
})
