import type { Server } from '@muster/contract'
import { chunk } from '../chunk.ts'
import type { ServerWriter } from '../inventory/ports.ts'
import type { EvaluationStore, Subject } from './evaluation-ports.ts'

/** A NIC without a network, or without an address, shares neither. */
const addressesOf = ({ nics }: Server): readonly string[] => [
  ...new Set(
    nics.flatMap(({ network_id, ip_addr, ip6_addr }) =>
      [ip_addr, ip6_addr]
        .filter((address) => address !== '' && network_id !== '')
        .map((address) => `${network_id} ${address}`),
    ),
  ),
]

/** Servers in use that have the address of another one in the same network. */
export function createFindDuplicateAddresses(
  store: Pick<EvaluationStore, 'sharingAddresses'>,
  serverWriter: Pick<ServerWriter, 'findStored'>,
) {
  return async function findDuplicateAddresses(): Promise<readonly Subject[]> {
    const holders = new Map<string, Subject[]>()
    // A server can have an address in one network and be in another one, so the NICs decide.
    for (const ids of chunk(await store.sharingAddresses(), 100)) {
      for (const { id, server } of (await serverWriter.findStored(ids)).values()) {
        if (server.deleted || server.pending_deleted) continue
        const { name, project_id: projectId, domain_id: domainId } = server
        for (const address of addressesOf(server)) {
          const others = holders.get(address) ?? []
          holders.set(address, [...others, { id, name, projectId, domainId }])
        }
      }
    }
    const found = new Map<string, Subject>()
    for (const sharing of holders.values()) {
      if (sharing.length > 1) for (const subject of sharing) found.set(subject.id, subject)
    }
    return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
}
