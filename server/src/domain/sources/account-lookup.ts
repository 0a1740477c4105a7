import type { AccountRule, AccountToTest, CloudAccount } from '@muster/contract'
import type { Changes } from '../audit/event.ts'
import type { Clock } from '../clock.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Owners } from '../inventory/owners.ts'
import { nameKey } from '../name-key.ts'
import type { Account, AttachedAccount } from './account.ts'
import { describeAccount } from './describe-account.ts'
import type { AccountStore } from './ports.ts'
import type { SourceKind, SourceKinds, SourceSettings } from './source.ts'

export interface LookupDependencies {
  readonly kinds: SourceKinds
  readonly accounts: AccountStore
  readonly owners: Owners
  /** Whether this node can read the credentials of accounts. */
  readonly hasKeys: () => boolean
  readonly clock: Clock
}

const notFound = () => new PlatformError('ResourceNotFoundError', 'Cloud account not found.')

export const settingsOf = (given: AccountToTest): SourceSettings => ({
  address: given.address ?? '',
  credentials: given.credentials ?? {},
  options: given.options ?? {},
})

/** Finds accounts and what they refer to: their kind, their projects. */
export function createAccountLookup({
  kinds,
  accounts,
  owners,
  hasKeys,
  clock,
}: LookupDependencies) {
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

  return { loadKind, requireAccount, serversOf, show, requireProjects, toEvent }
}
export type AccountLookup = ReturnType<typeof createAccountLookup>
