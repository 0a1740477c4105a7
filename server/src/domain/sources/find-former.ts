import type { ServerWriter, StoredServer } from '../inventory/ports.ts'
import type { DomainServer } from '../inventory/reporting-account.ts'
import type { ServerKeys } from './ports.ts'

interface Dependencies {
  readonly serverKeys: Pick<ServerKeys, 'findFormer'>
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
}

/** Finds the deleted servers as which servers return to a domain that had them before. */
export const createFindFormer =
  ({ serverKeys, serverWriter }: Dependencies) =>
  async (servers: readonly DomainServer[]): Promise<ReadonlyMap<string, StoredServer>> => {
    const found = new Map<string, StoredServer>()
    const currentIds = await serverKeys.findFormer(servers.map(({ id }) => id))
    if (currentIds.size === 0) return found
    const stored = await serverWriter.findStored([...currentIds.keys()])
    const domains = new Map(servers.map(({ id, domainId }) => [id, domainId]))
    const byEnd = [...stored.values()].toSorted((one, other) =>
      (one.server.deleted_at ?? '') < (other.server.deleted_at ?? '') ? -1 : 1,
    )
    for (const former of byEnd) {
      const id = currentIds.get(former.id) ?? ''
      const { deleted, domain_id } = former.server
      if (deleted && domain_id === domains.get(id)) found.set(id, former)
    }
    return found
  }
