import { setTimeout as pause } from 'node:timers/promises'
import type { AttachedAccount, DemoHost } from '@muster/server/demo-port'

interface Load {
  readonly host: Pick<DemoHost, 'listAccounts' | 'reconcile'>
  /** The accounts to wait for, as they were before they were due. */
  readonly waiting: readonly AttachedAccount[]
  readonly showProgress: () => Promise<void>
  readonly signal: AbortSignal
}

const longestPause = 500
const shortestPause = 20

/** The longer the load takes, the less often it is polled. */
const pauseAfter = (waited: number) => Math.min(Math.max(waited / 10, shortestPause), longestPause)

/** Waits until each account has completed a sync. The sync itself retries what fails. */
export async function waitForDemo({ host, waiting, showProgress, signal }: Load): Promise<void> {
  const [first] = waiting
  if (!first) return
  const before = new Map(waiting.map(({ account, sync }) => [account.id, sync]))

  function isLoaded({ account, sync }: AttachedAccount): boolean {
    const old = before.get(account.id)
    // Do not wait for an account that was deleted or disabled meanwhile.
    if (!old || !account.enabled || account.isBeingDeleted) return true
    return (
      sync.finished_at !== null &&
      sync.finished_at !== old.finished_at &&
      sync.mapped_revision === account.revision
    )
  }

  const start = performance.now()
  await host.reconcile(first.account.id)
  while (!signal.aborted) {
    const current = (await host.listAccounts()).filter(({ account }) => before.has(account.id))
    await showProgress()
    if (current.every(isLoaded)) return
    await pause(pauseAfter(performance.now() - start), undefined, { signal }).catch(() => {})
  }
}
