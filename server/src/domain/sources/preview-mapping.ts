import type { AccountRule, MappingPreview } from '@muster/contract'
import type { ServerWriter } from '../inventory/ports.ts'
import type { Owners } from '../inventory/owners.ts'
import type { Account } from './account.ts'
import { chunk } from '../chunk.ts'
import { compileMapping } from './mapping.ts'
import { subjectOf } from './move-servers.ts'
import type { SightingStore } from './ports.ts'

interface Dependencies {
  readonly sightings: SightingStore
  readonly owners: Owners
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
}

const maxShown = 100

/** Shows to which projects other rules would move the servers of an account. */
export function createPreviewMapping({ sightings, owners, serverWriter }: Dependencies) {
  return async function previewMapping(
    account: Account,
    rules: readonly AccountRule[],
    projectId: string,
  ): Promise<MappingPreview> {
    const projects = await owners.byProject()
    const nameOf = (id: string) => projects.get(id)?.project ?? ''
    const mapping = compileMapping(
      { name: account.name, mapping: rules, project_id: projectId },
      projects,
    )
    const counts = new Map<string, number>()
    const servers: MappingPreview['servers'] = []
    let [total, moves] = [0, 0]
    const known = await sightings.of(account.id)
    for (const batch of chunk(known.keys())) {
      for (const { id, server } of (await serverWriter.findStored(batch)).values()) {
        if (server.deleted || server.account_id !== account.id) continue
        const { projectId: to, rule } = mapping(subjectOf(server))
        total += 1
        counts.set(to, (counts.get(to) ?? 0) + 1)
        if (to === server.project_id) continue
        moves += 1
        if (servers.length === maxShown) continue
        servers.push({
          id,
          name: server.name,
          from_project_id: server.project_id,
          from_project: nameOf(server.project_id),
          to_project_id: to,
          to_project: nameOf(to),
          rule,
        })
      }
    }
    return {
      total,
      moves,
      projects: [...counts]
        .map(([project_id, count]) => ({ project_id, project: nameOf(project_id), servers: count }))
        .toSorted((a, b) => b.servers - a.servers || (a.project_id < b.project_id ? -1 : 1)),
      servers,
    }
  }
}
export type PreviewMapping = ReturnType<typeof createPreviewMapping>
