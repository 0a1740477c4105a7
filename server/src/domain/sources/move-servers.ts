import type { Server } from '@muster/contract'
import { tagsOf } from '../inventory/metadata.ts'
import type { AccountFence, StoredServer } from '../inventory/ports.ts'
import type { Owners } from '../inventory/owners.ts'
import type { Account } from './account.ts'
import type { ChangeAccountServers } from './change-account-servers.ts'
import { compileMapping, type MappingSubject } from './mapping.ts'

interface Dependencies {
  readonly owners: Owners
  readonly changeAccountServers: ChangeAccountServers
}

/** The fields of a stored server that mapping rules match on. */
export function subjectOf({ name, manager, metadata }: Server): MappingSubject {
  const { tenant } = tagsOf(metadata, 'notes')
  return {
    name,
    tags: tagsOf(metadata, 'source'),
    tenant: tenant === undefined ? undefined : { id: tenant, name: manager },
  }
}

/** Moves the servers of an account to the projects that its current mapping rules name. */
export function createMoveServers({ owners, changeAccountServers }: Dependencies) {
  return async function moveServers(account: Account, fence: AccountFence): Promise<number> {
    const projects = await owners.byProject()
    if (!projects.has(account.project_id)) return 0
    const mapping = compileMapping(account, projects)

    function change({ server, factsDigest }: StoredServer) {
      const { projectId, rule } = mapping(subjectOf(server))
      const domainId = projects.get(projectId)?.domainId
      if (domainId === undefined || server.project_id === projectId) return undefined
      const byTenant = account.mapping[rule]?.tenant !== undefined
      return {
        factsDigest,
        changes: {
          project_id: projectId,
          tenant_id: projectId,
          domain_id: domainId,
          project_src: byTenant ? 'cloud' : 'local',
        },
      }
    }

    return await changeAccountServers(account, fence, {
      change,
      sightingAfter: ({ project_id }, before) => ({ ...before, projectId: project_id }),
    })
  }
}
export type MoveServers = ReturnType<typeof createMoveServers>
