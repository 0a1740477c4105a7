import {
  accountStatuses,
  cloudAccounts,
  sourceProviders,
  type AccountGapsQuery,
  type AccountRule,
  type AccountSyncRun,
  type AccountTest,
  type AccountToTest,
  type Claim,
  type ClaimRequest,
  type CloudAccount,
  type MappingPreview,
} from '@muster/contract'
import type { EventStore } from '../audit/event-store.ts'
import type { Changes } from '../audit/event.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { narrowScope } from '../identity/choose-scope.ts'
import type { GapStore } from '../inventory/history/gaps.ts'
import { listInMemory } from '../query/evaluate.ts'
import type { ListQuery } from '../query/list-query.ts'
import { queryFieldsOf, type QueryFields } from '../query/query-fields.ts'
import { covers } from '../scope.ts'
import { timestamp } from '../timestamp.ts'
import type { Account, AttachedAccount } from './account.ts'
import { createAccountLookup, settingsOf, type LookupDependencies } from './account-lookup.ts'
import { createAccountChanges, type ChangeDependencies } from './change-accounts.ts'
import type { ClaimServers } from './claim-servers.ts'
import { createListGaps } from './list-gaps.ts'
import { describeAccount, describeKind } from './describe-account.ts'
import type { SyncRunStore } from './ports.ts'
import { validateSettings } from './validate-settings.ts'

/** What the lists can be filtered and sorted by. */
export const accountFields: QueryFields<string> = queryFieldsOf(cloudAccounts)
export const providerFields: QueryFields<string> = queryFieldsOf(sourceProviders)

interface Dependencies extends LookupDependencies, ChangeDependencies {
  readonly events: Pick<EventStore, 'record'>
  readonly gaps: Pick<GapStore, 'of'>
  readonly syncRuns: SyncRunStore
  readonly claimServers: ClaimServers
}

function requireEnabled({ enabled }: Account): void {
  if (enabled) return
  throw new PlatformError('InvalidStatusError', 'The account is disabled. Enable it first.')
}

/** The use cases of cloud accounts: list, change, test, sync and delete. */
export function createCloudAccountUseCases(dependencies: Dependencies) {
  const { kinds, accounts, events, owners, syncClient, checkHost, hasKeys, clock } = dependencies
  const lookup = createAccountLookup(dependencies)
  const listGaps = createListGaps(dependencies)
  const { loadKind, requireAccount, show, requireProjects, toEvent } = lookup

  return {
    ...createAccountChanges(dependencies, lookup),

    async listCloudProviders(caller: Caller, query: ListQuery<string>) {
      narrowScope(caller, query.scope)
      const loaded = await Promise.all([...kinds.values()].map((load) => load()))
      const objects = loaded.map(describeKind).map((kind) => ({ ...kind, id: kind.provider, kind }))
      const { items, ...page } = listInMemory(providerFields, query, objects)
      return { ...page, items: items.map(({ kind }) => kind) }
    },

    async listCloudAccounts(caller: Caller, query: ListQuery<string>) {
      const { scope } = narrowScope(caller, query.scope)
      const [all, servers, projects] = await Promise.all([
        accounts.all(),
        accounts.countServers(),
        owners.byProject(),
      ])
      const [now, canRead] = [clock(), hasKeys()]
      const isInScope = ({ account: { project_id: projectId } }: AttachedAccount) =>
        covers(scope, { projectId, domainId: projects.get(projectId)?.domainId ?? '' })
      const shown = all
        .filter((attached) => !attached.account.isBeingDeleted && isInScope(attached))
        .map((attached) =>
          describeAccount(attached, servers.get(attached.account.id) ?? 0, now, canRead),
        )
      return listInMemory(accountFields, query, shown, { status: accountStatuses })
    },

    getCloudAccount: async (idOrName: string) => show((await requireAccount(idOrName)).account.id),

    async getCloudAccountGaps(idOrName: string, query: AccountGapsQuery) {
      return await listGaps((await requireAccount(idOrName)).account.id, query)
    },

    async getCloudAccountSyncs(idOrName: string): Promise<AccountSyncRun[]> {
      const { account } = await requireAccount(idOrName)
      return (await dependencies.syncRuns.of(account.id)).map((run) => ({
        ...run,
        started_at: timestamp(run.started_at),
        finished_at: timestamp(run.finished_at),
      }))
    },

    async syncCloudAccount(caller: Caller, idOrName: string): Promise<CloudAccount> {
      const { account } = await requireAccount(idOrName)
      requireEnabled(account)
      await accounts.requestSync(account.id, toEvent(caller, account, 'sync', {}))
      void syncClient.reconcile(account.id).catch(() => {})
      return await show(account.id)
    },

    async confirmGoneServers(caller: Caller, idOrName: string): Promise<CloudAccount> {
      const { account, sync } = await requireAccount(idOrName)
      requireEnabled(account)
      const missing = sync.warnings.find(({ kind }) => kind === 'missing')?.count ?? 0
      const event = toEvent(caller, account, 'confirm', { servers: [missing, 0] })
      if (!(await accounts.confirmGone(account.id, event))) {
        throw new PlatformError(
          'InvalidStatusError',
          'No servers of this account are missing. There is nothing to confirm.',
        )
      }
      void syncClient.reconcile(account.id).catch(() => {})
      return await show(account.id)
    },

    async claimServers(caller: Caller, idOrName: string, request: ClaimRequest): Promise<Claim> {
      const { id } = (await requireAccount(idOrName)).account
      const findAccount = async () => {
        const { account } = await requireAccount(id)
        requireEnabled(account)
        return account
      }
      return await dependencies.claimServers(caller, findAccount, request)
    },

    async testCloudAccount(caller: Caller, idOrName: string): Promise<AccountTest> {
      const { account } = await requireAccount(idOrName)
      await events.record(toEvent(caller, account, 'test', {}))
      const { provider, address, options } = account
      const credentials = await accounts.credentialsOf(account.id)
      return await syncClient.test(provider, { address, options, credentials })
    },

    async testNewCloudAccount(caller: Caller, given: AccountToTest): Promise<AccountTest> {
      const kind = await loadKind(given.provider)
      const settings = settingsOf(given)
      validateSettings(kind, settings, checkHost)
      const unsaved = { id: '', name: '' }
      const target = {
        provider: [null, kind.provider],
        address: [null, settings.address],
      } as Changes
      await events.record(toEvent(caller, unsaved, 'test', target))
      return await syncClient.test(kind.provider, settings)
    },

    async previewCloudAccountMapping(
      idOrName: string,
      mapping: readonly AccountRule[],
      projectId: string | undefined,
    ): Promise<MappingPreview> {
      const { account } = await requireAccount(idOrName)
      await requireProjects(projectId, mapping, '')
      return await syncClient.preview(account.id, mapping, projectId ?? account.project_id)
    },
  }
}
export type CloudAccountUseCases = ReturnType<typeof createCloudAccountUseCases>
