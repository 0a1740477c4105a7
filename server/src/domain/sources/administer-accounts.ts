import {
  cloudAccounts,
  defaultMaxActions,
  defaultRequestTimeout,
  sourceProviders,
  type AccountRule,
  type AccountTest,
  type AccountToTest,
  type Claim,
  type ClaimRequest,
  type CloudAccount,
  type CloudAccountChanges,
  type MappingPreview,
  type NewCloudAccount,
} from '@muster/contract'
import type { EventStore } from '../audit/event-store.ts'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Changes } from '../audit/event.ts'
import { badField, PlatformError } from '../error.ts'
import { diffFields, fieldsOfNew, redacted, definedFields } from '../audit/field-diff.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import type { Caller } from '../identity/caller.ts'
import { nameKey } from '../name-key.ts'
import { newId } from '../new-id.ts'
import type { Clock } from '../clock.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import type { Owners } from '../inventory/owners.ts'
import { narrowScope } from '../identity/choose-scope.ts'
import { listInMemory } from '../query/evaluate.ts'
import type { ListQuery } from '../query/list-query.ts'
import { queryFieldsOf, type QueryFields } from '../query/query-fields.ts'
import { covers } from '../scope.ts'
import type { Account, AttachedAccount } from './account.ts'
import type { ClaimServers } from './claim-servers.ts'
import { validateSettings, type CheckHost } from './validate-settings.ts'
import { describeAccount, describeKind } from './describe-account.ts'
import type { SyncClient } from './sync-client.ts'
import type { AccountStore } from './ports.ts'
import type { SourceKind, SourceKinds, SourceSettings } from './source.ts'

/** What the lists can be filtered and sorted by. */
export const accountFields: QueryFields<string> = queryFieldsOf(cloudAccounts)
export const providerFields: QueryFields<string> = queryFieldsOf(sourceProviders)

interface Dependencies {
  readonly kinds: SourceKinds
  readonly accounts: AccountStore
  readonly events: Pick<EventStore, 'record'>
  readonly owners: Owners
  readonly syncClient: SyncClient
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly checkHost: CheckHost
  readonly claimServers: ClaimServers
  /** Whether this node can read the credentials of accounts. */
  readonly hasKeys: () => boolean
  readonly clock: Clock
}

const notFound = () => new PlatformError('ResourceNotFoundError', 'Cloud account not found.')

const nameTaken = () =>
  new PlatformError(
    'DuplicateNameError',
    'A cloud account with this name already exists, or the servers of a deleted one are still being removed.',
    { fields: [{ path: 'cloudaccount.name', problem: 'is already in use' }] },
  )

function requireEnabled({ enabled }: Account): void {
  if (enabled) return
  throw new PlatformError('InvalidStatusError', 'The account is disabled. Enable it first.')
}

/** Changes that affect the sync are tried at once instead of at the next scheduled sync. */
const affectsSync = (changes: CloudAccountChanges) =>
  [
    changes.address,
    changes.credentials,
    changes.options,
    changes.period,
    changes.disappearance_hold,
    changes.enabled,
  ].some((change) => change !== undefined)

/** The use cases of cloud accounts: create, change, test, sync and delete. */
export function createCloudAccountUseCases(dependencies: Dependencies) {
  const { kinds, accounts, events, owners, syncClient, reauthorizeCaller, checkHost } = dependencies
  const { hasKeys, clock } = dependencies

  async function loadKind(provider: string): Promise<SourceKind> {
    const load = kinds.get(provider)
    if (load) return await load()
    const known = [...kinds.keys()].join(', ')
    throw badField('cloudaccount.provider', `is not supported. Supported providers: ${known}`)
  }

  /** Finds an account by id or name. One that is being deleted is not found. */
  async function requireAccount(idOrName: string): Promise<AttachedAccount> {
    const all = (await accounts.all()).filter(({ account }) => !account.isBeingDeleted)
    const found =
      all.find(({ account }) => account.id === idOrName) ??
      all.find(({ account }) => nameKey(account.name) === nameKey(idOrName))
    if (!found) throw notFound()
    return found
  }

  const serversOf = async (id: string) => (await accounts.countServers()).get(id) ?? 0

  async function show(id: string): Promise<CloudAccount> {
    const attached = await accounts.find(id)
    if (!attached) throw notFound()
    return describeAccount(attached, await serversOf(id), clock(), hasKeys())
  }

  /** The prefix is the path of the object in the request body. */
  async function requireProjects(
    projectId: string | undefined,
    rules: readonly AccountRule[],
    prefix = 'cloudaccount.',
  ) {
    const projects = await owners.byProject()
    if (projectId !== undefined && !projects.has(projectId)) {
      throw badField(`${prefix}project_id`, 'does not refer to an existing project')
    }
    for (const [index, rule] of rules.entries()) {
      const { project_id, ...conditions } = rule
      const path = `${prefix}mapping.${index}`
      if (!projects.has(project_id))
        throw badField(`${path}.project_id`, 'does not refer to an existing project')
      if (Object.keys(conditions).length === 0) {
        throw badField(path, 'must have tenant, tag, account or name')
      }
    }
  }

  async function requireFreeName(name: string): Promise<void> {
    if (await accounts.isNameTaken(name)) throw nameTaken()
  }

  const toEvent = (
    caller: Caller,
    account: Pick<Account, 'id' | 'name'>,
    action: string,
    changes: Changes,
  ) =>
    createAuditEvent(
      caller,
      {
        action,
        targetType: 'cloudaccount',
        targetId: account.id,
        targetName: account.name,
        scope: { kind: 'system' },
        changes,
      },
      clock,
    )

  /**
   * A new address needs the credentials again. Otherwise stored secrets could be sent to an
   * attacker's host.
   */
  function requireSecretsAgain(
    before: Account,
    changes: CloudAccountChanges,
    stored: object,
  ): void {
    const isNewAddress = changes.address !== undefined && changes.address !== before.address
    const hasStored = Object.keys(stored).length > 0
    if (!isNewAddress || changes.credentials !== undefined || !hasStored) return
    throw badField(
      'cloudaccount.credentials',
      'must be sent again when the address changes',
      'MissingParameterError',
    )
  }

  async function updateOnce(caller: Caller, idOrName: string, changes: CloudAccountChanges) {
    const { account: before } = await requireAccount(idOrName)
    const stored = await accounts.credentialsOf(before.id)
    requireSecretsAgain(before, changes, stored)
    const { credentials, ...rest } = changes
    const diff = diffFields(before, definedFields(rest))
    const after = { ...before, ...definedFields(rest) } as Account
    validateSettings(
      await loadKind(before.provider),
      { ...after, credentials: credentials ?? stored },
      checkHost,
    )
    await requireProjects(changes.project_id, changes.mapping ?? [])
    if (changes.name !== undefined && nameKey(changes.name) !== nameKey(before.name)) {
      await requireFreeName(changes.name)
    }
    if (Object.keys(diff).length === 0 && credentials === undefined) return before.id
    const event = toEvent(caller, before, 'update', {
      ...diff,
      ...(credentials !== undefined && { credentials: redacted }),
    })
    return (await accounts.update(before, definedFields(rest), credentials, event))
      ? before.id
      : undefined
  }

  async function deleteOnce(caller: Caller, idOrName: string, mayEvict: boolean) {
    const { account } = await requireAccount(idOrName)
    const servers = await serversOf(account.id)
    if (servers > 0 && !mayEvict) {
      const count = servers === 1 ? '1 server' : `${servers} servers`
      throw new PlatformError(
        'ConflictError',
        `The account has ${count}. They are removed from Muster with it, except those that another account also sees. To confirm, add evict=true. Nothing changes in the source.`,
      )
    }
    const event = toEvent(caller, account, 'delete', { servers: [servers, 0] })
    return (await accounts.update(account, { isBeingDeleted: true }, undefined, event))
      ? account.id
      : undefined
  }

  /** Retries when another request has changed the account meanwhile (optimistic lock). */
  async function changeWithRetry(
    caller: Caller,
    change: (caller: Caller) => Promise<string | undefined>,
  ) {
    return await retryOnConflict(async () => change(await reauthorizeCaller(caller)), {
      exhausted: () => conflicted('The account'),
    })
  }

  const settingsOf = (given: AccountToTest): SourceSettings => ({
    address: given.address ?? '',
    credentials: given.credentials ?? {},
    options: given.options ?? {},
  })

  return {
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
      return listInMemory(accountFields, query, shown)
    },

    getCloudAccount: async (idOrName: string) => show((await requireAccount(idOrName)).account.id),

    async createCloudAccount(requester: Caller, given: NewCloudAccount): Promise<CloudAccount> {
      const caller = await reauthorizeCaller(requester)
      const kind = await loadKind(given.provider)
      const settings = settingsOf(given)
      validateSettings(kind, settings, checkHost)
      await requireProjects(given.project_id, given.mapping ?? [])
      await requireFreeName(given.name)
      const account: Account = {
        id: newId(),
        name: given.name,
        provider: kind.provider,
        brand: given.brand ?? kind.provider,
        address: settings.address,
        options: settings.options,
        project_id: given.project_id,
        period: given.period ?? kind.period,
        disappearance_hold: given.disappearance_hold ?? null,
        enabled: given.enabled ?? true,
        access: given.access ?? 'observe',
        max_actions: given.max_actions ?? defaultMaxActions,
        request_timeout: given.request_timeout ?? defaultRequestTimeout,
        mapping: given.mapping ?? [],
        created_at: clock(),
        revision: 1,
        isBeingDeleted: false,
      }
      const { revision: _revision, isBeingDeleted: _isBeingDeleted, ...shown } = account
      const event = toEvent(caller, account, 'create', {
        ...fieldsOfNew(shown),
        credentials: [null, '(hidden)'],
      })
      // Another request may have taken the name meanwhile.
      if (!(await accounts.insert(account, settings.credentials, event))) throw nameTaken()
      void syncClient.reconcile(account.id).catch(() => {})
      return await show(account.id)
    },

    async updateCloudAccount(caller: Caller, idOrName: string, changes: CloudAccountChanges) {
      const id = await changeWithRetry(caller, (renewed) => updateOnce(renewed, idOrName, changes))
      if (affectsSync(changes)) await accounts.requestSync(id)
      await syncClient.reconcile(id)
      return await show(id)
    },

    async deleteCloudAccount(caller: Caller, idOrName: string, mayEvict: boolean): Promise<void> {
      const id = await changeWithRetry(caller, (renewed) => deleteOnce(renewed, idOrName, mayEvict))
      await syncClient.reconcile(id)
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
