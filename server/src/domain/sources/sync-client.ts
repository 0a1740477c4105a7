import type { AccountRule, AccountTest, MappingPreview } from '@muster/contract'
import type { ServerReference, SourceSettings } from './source.ts'

/** Where work with sources is asked for: it is done elsewhere, out of the way of those who read. */
export interface SyncClient {
  /** Takes up what has changed in an account: resolves when that is done, or is still going on after a while. */
  reconcile(accountId: string): Promise<void>
  test(provider: string, settings: SourceSettings): Promise<AccountTest>
  preview(
    accountId: string,
    mapping: readonly AccountRule[],
    projectId: string,
  ): Promise<MappingPreview>
  /** Looks at one server now; false where that takes longer than one waits for it. */
  refresh(accountId: string, serverId: string, reference: ServerReference): Promise<boolean>
}
