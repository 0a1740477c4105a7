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
import { createChangePlans } from './change-plan.ts'
import { requireNoServers } from './require-no-servers.ts'
import { requireNotSystemProject } from './require-not-built-in.ts'
import type { Change } from './change-as-caller.ts'
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
    createProject: (caller: Caller, wish: NewProject): Promise<Project> =>
      change(caller, async (caller) => {
        const { domain_id, parent_id } = wish
        const field = domain_id === undefined ? 'project.parent_id' : 'project.domain_id'
        const domainId = await chooseDomain(registry, caller, domain_id ?? parent_id, field)
        if (parent_id !== undefined && parent_id !== domainId) {
          throw badField('project.parent_id', 'must be the domain. Projects cannot be nested.')
        }
        await requireFreeName(registry, 'projects', wish.name, domainId)
        return plans.toCreate(caller, {
          id: newId(),
          name: wish.name,
          domain_id: domainId,
          description: wish.description ?? '',
          enabled: wish.enabled ?? true,
          created_at: clock(),
        })
      }),

    updateProject: (caller: Caller, id: string, wish: Partial<NewProject>): Promise<Project> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'projects', id, caller.authorizedScope)
        requireNotSystemProject(before, wish)
        await requireFreeRename(registry, 'projects', before, wish.name)
        const { name, description, enabled } = wish
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
