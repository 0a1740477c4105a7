import type { Server } from '@muster/contract'
import type { Owners } from '../inventory/owners.ts'
import type { Sighting } from '../inventory/ports.ts'
import type { OtherAccount, ReportingAccount } from '../inventory/reporting-account.ts'
import type { Account } from './account.ts'
import type { AccountStore, SeeingAccount, SightingStore } from './ports.ts'

interface Dependencies {
  readonly accounts: Pick<AccountStore, 'all'>
  readonly sightings: Pick<SightingStore, 'accountsSeeing'>
  readonly owners: Owners
}

/** The fields that identify the account of a server. Its next scan writes the others. */
export const heldBy = (
  account: Account,
  { projectId }: Pick<Sighting, 'projectId'>,
): Partial<Server> => ({
  account: account.name,
  account_id: account.id,
  manager: account.name,
  manager_id: account.id,
  project_id: projectId,
  tenant_id: projectId,
})

/** Finds the other accounts that see a server, and which of them gets it when its account loses it. */
export function createOtherAccounts({ accounts, sightings, owners }: Dependencies) {
  /** The other accounts that see these servers, in the order in which they were attached. */
  async function find({ id: accountId }: Account, ids: readonly string[]) {
    const seeing = await sightings.accountsSeeing(ids)
    const others = new Map<
      string,
      (OtherAccount & SeeingAccount & { account: Account; works: boolean })[]
    >()
    if (![...seeing.values()].flat().some((one) => one.accountId !== accountId)) return others
    const projects = await owners.byProject()
    for (const { account, sync } of await accounts.all()) {
      if (account.id === accountId) continue
      const isActive = account.enabled && !account.isBeingDeleted
      for (const [id, found] of seeing) {
        const sighting = found.find((one) => one.accountId === account.id)
        if (!sighting) continue
        const works = isActive && sync.failures === 0 && sighting.missed === 0
        const domainId = projects.get(sighting.projectId)?.domainId
        const other = { ...sighting, account, domainId, isActive, works }
        others.set(id, [...(others.get(id) ?? []), other])
      }
    }
    return others
  }

  /**
   * The accounts that get these servers, because they see them in the domain of the servers, by server id. An account that works is preferred. If none works, the status is unknown.
   */
  async function findSuccessors(
    account: Account,
    servers: Parameters<ReportingAccount['findSuccessors']>[0],
  ) {
    const successors = new Map<string, Partial<Server>>()
    const seeing = await find(
      account,
      servers.map(({ id }) => id),
    )
    for (const { id, server } of servers) {
      const others = (seeing.get(id) ?? []).filter(
        ({ isActive, domainId }) => isActive && domainId === server.domain_id,
      )
      const next = others.find(({ works }) => works) ?? others[0]
      if (!next) continue
      const status = next.works ? {} : { status: 'unknown' }
      successors.set(id, { ...heldBy(next.account, next), ...status })
    }
    return successors
  }

  return { find, findSuccessors }
}
