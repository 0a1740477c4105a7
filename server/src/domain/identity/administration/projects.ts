import { badField } from '../../error.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import type { Caller } from '../caller.ts'
import {
  chooseDomain,
  requireFreeName,
  requireFreeRename,
  requireResource,
  nullToEmpty,
} from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import { requireNoServers, requireNotSystemProject } from './protected-resources.ts'
import type { Registry } from './registry.ts'
import type { Project } from './resources.ts'

interface NewProject {
  readonly name: string
  readonly domain_id?: string
  readonly parent_id?: string
  readonly description?: string | null
  readonly enabled?: boolean
}

export function createProjectUseCases(registry: Registry, change: Change, clock: Clock) {
  const plans = createChangePlans('projects', clock, ({ id, domain_id }) => ({
    kind: 'project',
    projectId: id,
    domainId: domain_id,
  }))

  return {
    createProject: (caller: Caller, input: NewProject): Promise<Project> =>
      change(caller, async (caller) => {
        const { domain_id, parent_id } = input
        const field = domain_id === undefined ? 'project.parent_id' : 'project.domain_id'
        const domainId = await chooseDomain(registry, caller, domain_id ?? parent_id, field)
        if (parent_id !== undefined && parent_id !== domainId) {
          throw badField('project.parent_id', 'must be the domain. Projects cannot be nested.')
        }
        await requireFreeName(registry, 'projects', input.name, domainId)
        return plans.toCreate(caller, {
          id: newId(),
          name: input.name,
          domain_id: domainId,
          description: input.description ?? '',
          enabled: input.enabled ?? true,
          created_at: clock(),
        })
      }),

    updateProject: (caller: Caller, id: string, input: Partial<NewProject>): Promise<Project> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'projects', id, caller.authorizedScope)
        requireNotSystemProject(before, input)
        await requireFreeRename(registry, 'projects', before, input.name)
        const { name, description, enabled } = input
        return plans.toUpdate(
          caller,
          before,
          definedFields({ name, description: nullToEmpty(description), enabled }),
          (after) => ({
            writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'project', id }],
          }),
        )
      }),

    deleteProject: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const project = await requireResource(registry, 'projects', id, caller.authorizedScope)
        requireNotSystemProject(project, 'delete')
        const impact = await registry.impactOf('projects', id, clock())
        requireNoServers('project', impact)
        return plans.toDelete(caller, project, {
          changes: { touched: [impact, null] },
          writes: [{ do: 'require-no-servers', of: 'project', id }],
        })
      }),
  }
}
