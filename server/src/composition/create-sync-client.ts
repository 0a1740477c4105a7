import { setTimeout as pause } from 'node:timers/promises'
import type { AccountScheduler } from '../domain/sources/account-scheduler.ts'
import type { OpenSource } from '../domain/sources/open-source.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import type { PreviewMapping } from '../domain/sources/preview-mapping.ts'
import { probeSource } from '../domain/sources/probe-source.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import { testConnection } from '../domain/sources/test-connection.ts'

interface Parts {
  readonly accounts: AccountStore
  readonly scheduler: AccountScheduler
  readonly openSource: OpenSource
  readonly previewMapping: PreviewMapping
  readonly wakeTasks: (accountId: string) => void
  readonly clock: () => number
}

/** How long a request waits for the sync thread. */
const longestWait = 5_000
const pollInterval = 50

/** What requests ask of the sync thread, in that thread. */
export function createSyncClient(parts: Parts): SyncClient {
  const { accounts, scheduler, openSource, previewMapping, wakeTasks, clock } = parts

  /** Reads the database, because another process may run the account. */
  async function isSettled(accountId: string): Promise<boolean> {
    const attached = await accounts.find(accountId)
    if (!attached) return true
    return (
      !attached.account.isBeingDeleted &&
      attached.sync.mapped_revision === attached.account.revision
    )
  }

  return {
    async reconcile(accountId) {
      const settle = async () => {
        const end = clock() + longestWait
        await scheduler.tick()
        while (clock() < end && !(await isSettled(accountId))) await pause(pollInterval)
      }
      await Promise.race([settle(), pause(longestWait, undefined, { ref: false })])
    },

    test: (provider, settings) =>
      testConnection(
        (signal) => openSource.openSettings(provider, settings, signal),
        (signal) => openSource.openSettingsActor(provider, settings, signal),
        clock,
      ),

    async preview(accountId, mapping, projectId) {
      const attached = await accounts.find(accountId)
      if (!attached) throw new Error('the account is gone')
      return await previewMapping(attached.account, mapping, projectId)
    },

    async wakeTasks(accountId) {
      wakeTasks(accountId)
    },

    async probe(accountId, reference) {
      const attached = await accounts.find(accountId)
      if (attached) await probeSource(openSource, attached.account, reference)
    },

    async refresh(accountId, serverId, reference) {
      const running = scheduler.find(accountId)
      if (!running) {
        await accounts.requestSync(accountId)
        return false
      }
      const refreshed = running.refresh(serverId, reference).then(() => true)
      return await Promise.race([refreshed, pause(longestWait, false, { ref: false })])
    },
  }
}
