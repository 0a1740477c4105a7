import type { StoredServer } from '../inventory/ports.ts'
import type { AttachedAccount } from '../sources/account.ts'
import type { AccountStore, SightingStore } from '../sources/ports.ts'
import type { SourceKinds } from '../sources/source.ts'
import type { Situation } from './decide-action.ts'
import type { TaskStore } from './ports.ts'

interface Dependencies {
  readonly kinds: SourceKinds
  readonly accounts: Pick<AccountStore, 'all'>
  readonly sightings: Pick<SightingStore, 'of'>
  readonly tasks: Pick<TaskStore, 'unfinishedOf'>
}

/** Reads the data that decisions about these servers depend on. */
export function createLoadSituations({ kinds, accounts, sightings, tasks }: Dependencies) {
  async function supportOf(attached: AttachedAccount | undefined) {
    const load = attached && kinds.get(attached.account.provider)
    return load && (await load()).acting
  }

  /** Only `purge` needs to know whether servers are missing. */
  async function findMissing(stored: readonly StoredServer[]): Promise<ReadonlySet<string>> {
    const byAccount = Map.groupBy(stored, ({ server }) => server.account_id)
    const missing = new Set<string>()
    for (const [accountId, servers] of byAccount) {
      const ids = servers.map(({ id }) => id)
      const known = await sightings.of(accountId, ids)
      // Without a sighting, no scan of this account says anything about the server.
      for (const id of ids) if ((known.get(id)?.missed ?? 0) > 0) missing.add(id)
    }
    return missing
  }

  return async function loadSituations(
    stored: readonly StoredServer[],
  ): Promise<ReadonlyMap<string, Situation>> {
    const [all, unfinished, missing] = await Promise.all([
      accounts.all(),
      tasks.unfinishedOf(stored.map(({ id }) => id)),
      findMissing(stored),
    ])
    const byId = new Map(all.map((attached) => [attached.account.id, attached]))
    const situations = new Map<string, Situation>()
    for (const { id, server } of stored) {
      const attached = byId.get(server.account_id)
      situations.set(id, {
        server,
        attached,
        support: await supportOf(attached),
        task: unfinished.get(id),
        isMissing: missing.has(id),
      })
    }
    return situations
  }
}
export type LoadSituations = ReturnType<typeof createLoadSituations>
