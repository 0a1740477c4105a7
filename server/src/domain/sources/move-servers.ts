import type { Server } from '@muster/contract'
import type { ChangeServers } from '../inventory/change-servers.ts'
import { tagsOf } from '../inventory/metadata.ts'
import type { AccountFence, KeptServer, Sighting } from '../inventory/ports.ts'
import type { Owners } from '../inventory/owners.ts'
import type { Account } from './account.ts'
import { inBatches } from './in-batches.ts'
import { compileMapping, type MappingSubject } from './mapping.ts'
import type { SightingStore } from './ports.ts'

interface Dependencies {
  readonly sightings: SightingStore
  readonly owners: Owners
  readonly changeServers: ChangeServers
}

const batchSize = 500

/** A server as the rules of its account see it, from what is kept of it. */
export function subjectOf({ name, manager, metadata }: Server): MappingSubject {
  const { tenant } = tagsOf(metadata, 'notes')
  return {
    name,
    tags: tagsOf(metadata, 'source'),
    tenant: tenant === undefined ? undefined : { id: tenant, name: manager },
  }
}

/** Moves the servers of an account to where its rules, as they are now, say they belong. */
export function createMoveServers({ sightings, owners, changeServers }: Dependencies) {
  return async function moveServers(account: Account, fence: AccountFence): Promise<number> {
    const projects = await owners.byProject()
    if (!projects.has(account.project_id)) return 0
    const mapping = compileMapping(account, projects)
    const known = await sightings.of(account.id)
    const placeOf = ({ server }: KeptServer) => mapping(subjectOf(server))

    function change(kept: KeptServer) {
      const { projectId, rule } = placeOf(kept)
      const domainId = projects.get(projectId)?.domainId
      const isOther = kept.server.account_id !== account.id
      if (isOther || domainId === undefined || kept.server.project_id === projectId) {
        return undefined
      }
      const byTenant = account.mapping[rule]?.tenant !== undefined
      return {
        factsDigest: kept.factsDigest,
        changes: {
          project_id: projectId,
          tenant_id: projectId,
          domain_id: domainId,
          project_src: byTenant ? 'cloud' : 'local',
        },
      }
    }

    const resight = ({ id, project_id }: Server): Sighting => ({
      ...(known.get(id) ?? { serverId: id, digest: '', missed: 0 }),
      projectId: project_id,
    })

    let moved = 0
    for (const ids of inBatches([...known.keys()], batchSize)) {
      moved += await changeServers({
        ids,
        change,
        account: account.name,
        sightingsOf: (changed) => ({
          accountId: account.id,
          fence,
          seen: changed.map(resight),
          lost: [],
        }),
      })
    }
    return moved
  }
}
export type MoveServers = ReturnType<typeof createMoveServers>
