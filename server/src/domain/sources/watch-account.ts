import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from './account.ts'
import { backoffDelay, isLoginFailure, type Random } from './backoff.ts'
import { explainError } from './explain-error.ts'
import { LeaseLost } from './lease-lost.ts'
import type { OpenSource } from './open-source.ts'
import type { SourceUpdate } from './source.ts'
import type { SyncLog } from './sync-log.ts'

interface WatchOptions {
  readonly account: Account
  readonly openSource: Pick<OpenSource, 'openAccount'>
  readonly signal: AbortSignal
  readonly random: Random
  readonly log: SyncLog
  readonly record: (update: SourceUpdate) => Promise<void>
  /** Called when the stream is open: from now on no change is missed. */
  readonly onReady: () => void
  /** Waits for the next complete scan, or for the signal. */
  readonly whenScanned: () => Promise<void>
  /** Called when an open stream has ended with an error. */
  readonly onBroken: (error: unknown) => void
}

/** Reads the events of a source and reconnects after errors. Throws only when the lease is lost. */
export async function watchAccount(options: WatchOptions): Promise<void> {
  const { account, openSource, signal, random, log, record, onReady, onBroken } = options
  const logFields = { account: account.name, account_id: account.id }
  let failures = 1
  let isOutage = false

  async function watchOnce(): Promise<void> {
    const source = await openSource.openAccount(account, signal)
    try {
      for await (const update of source.watch?.(signal) ?? []) {
        if (isOutage) log.info(logFields, 'watching the source works again')
        isOutage = false
        if (failures > 0) onReady()
        failures = 0
        await record(update)
      }
    } finally {
      await source.close().catch(() => {})
    }
  }

  while (!signal.aborted) {
    try {
      await watchOnce()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof LeaseLost) throw error
      if (!isOutage) {
        log.warn({ ...logFields, reason: explainError(error) }, 'watching the source failed')
      }
      isOutage = true
      // If the stream never opened, scans fail with the same error.
      if (failures === 0) onBroken(error)
      // Each login with wrong credentials brings the user closer to being locked.
      if (isLoginFailure(error)) await options.whenScanned()
    }
    failures += 1
    const delay = backoffDelay(failures, account.period * 1_000, random)
    await pause(delay, undefined, { signal }).catch(() => {})
  }
}
