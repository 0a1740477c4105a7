import {
  defaultMaxActions,
  defaultRequestTimeout,
  type CloudAccount,
  type CloudAccountChanges,
  type NewCloudAccount,
} from '@muster/contract'
import { definedFields, diffFields, fieldsOfNew, redacted } from '../audit/field-diff.ts'
import type { Clock } from '../clock.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { nameKey } from '../name-key.ts'
import { newId } from '../new-id.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import type { Account } from './account.ts'
import { settingsOf, type AccountLookup } from './account-lookup.ts'
import type { AccountStore } from './ports.ts'
import type { SyncClient } from './sync-client.ts'
import { validateSettings, type CheckHost } from './validate-settings.ts'

export interface ChangeDependencies {
  readonly accounts: AccountStore
  readonly syncClient: SyncClient
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly checkHost: CheckHost
  readonly clock: Clock
}

const nameTaken = () =>
  new PlatformError(
    'DuplicateNameError',
    'A cloud account with this name already exists, or the servers of a deleted one are still being removed.',
    { fields: [{ path: 'cloudaccount.name', problem: 'is already in use' }] },
  )

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

/**
 * A new address needs the credentials again. Otherwise stored secrets could be sent to an
 * attacker's host.
 */
function requireSecretsAgain(before: Account, changes: CloudAccountChanges, stored: object): void {
  const isNewAddress = changes.address !== undefined && changes.address !== before.address
  const hasStored = Object.keys(stored).length > 0
  if (!isNewAddress || changes.credentials !== undefined || !hasStored) return
  throw badField(
    'cloudaccount.credentials',
    'must be sent again when the address changes',
    'MissingParameterError',
  )
}

/** Creates, changes and deletes accounts, with their audit events. */
export function createAccountChanges(
  { accounts, syncClient, reauthorizeCaller, checkHost, clock }: ChangeDependencies,
  { loadKind, requireAccount, serversOf, show, requireProjects, toEvent }: AccountLookup,
) {
  async function requireFreeName(name: string): Promise<void> {
    if (await accounts.isNameTaken(name)) throw nameTaken()
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

  return {
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
  }
}
