import type { AccountRule, AccountTest, MappingPreview } from '@muster/contract'
import type { ServerReference, SourceSettings } from './source.ts'

/** Calls the sync thread from the serving thread. */
export interface SyncClient {
  /** Applies changes of an account. Resolves when that is done, or after a time limit. */
  reconcile(accountId: string): Promise<void>
  test(provider: string, settings: SourceSettings): Promise<AccountTest>
  preview(
    accountId: string,
    mapping: readonly AccountRule[],
    projectId: string,
  ): Promise<MappingPreview>
  /** Tells the runner of an account that there are new tasks. */
  wakeTasks(accountId: string): Promise<void>
  /** Reads one server to find out whether its source answers. Throws a 503 if it does not. */
  probe(accountId: string, reference: ServerReference): Promise<void>
  /** Reads one server from its source; false if that takes longer than the time limit. */
  refresh(accountId: string, serverId: string, reference: ServerReference): Promise<boolean>
}
