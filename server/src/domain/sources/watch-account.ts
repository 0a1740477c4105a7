import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from './account.ts'
import { backoffDelay, type Random } from './backoff.ts'
import { explainError } from './explain-error.ts'
import { LeaseLost } from './lease-lost.ts'
import type { OpenSource } from './open-source.ts'
import type { SyncLog } from './sync-log.ts'
import type { SourceUpdate } from './source.ts'

interface Listening {
  readonly account: Account
  readonly openSource: OpenSource
  readonly signal: AbortSignal
  readonly random: Random
  readonly log: SyncLog
  readonly hear: (news: SourceUpdate) => Promise<void>
  /** From now on nothing is missed. */
  readonly onReady: () => void
  /** A line on which something could be heard is no more. */
  readonly onBroken: (error: unknown) => void
}

/** Listens to a source that tells by itself, on and on. It throws only where the account is not ours any more. */
export async function watchAccount(listening: Listening): Promise<void> {
  const { account, openSource, signal, random, log, hear, onReady, onBroken } = listening
  let failed = 1

  async function listenOnce(): Promise<void> {
    const source = await openSource.openAccount(account, signal)
    try {
      for await (const news of source.watch?.(signal) ?? []) {
        if (failed > 0) onReady()
        failed = 0
        await hear(news)
      }
    } finally {
      await source.close().catch(() => {})
    }
  }

  while (!signal.aborted) {
    try {
      await listenOnce()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof LeaseLost) throw error
      const named = { account: account.name, account_id: account.id }
      log.warn({ ...named, reason: explainError(error) }, 'its source is not heard')
      // A line that broke may mean trouble; one that never was the scans know of.
      if (failed === 0) onBroken(error)
    }
    failed += 1
    const delay = backoffDelay(failed, account.period * 1_000, random)
    await pause(delay, undefined, { signal }).catch(() => {})
  }
}
