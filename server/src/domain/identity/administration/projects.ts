import { badField } from '../../error.ts'
import { requireNoServers, requireNotSystemProject } from './protected-resources.ts'
import { chooseDomain } from './require-resource.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'

export function createProjectUseCases(context: WriteContext) {
  const { registry, clock } = context
  return createWriteUseCases('projects', context, {
    async complete(caller, { domain_id, parent_id }) {
      const field = domain_id === undefined ? 'project.parent_id' : 'project.domain_id'
      const domainId = await chooseDomain(registry, caller, domain_id ?? parent_id, field)
      if (parent_id !== undefined && parent_id !== domainId) {
        throw badField('project.parent_id', 'must be the domain. Projects cannot be nested.')
      }
      return { domain_id: domainId }
    },
    update(_caller, { before, after, input }) {
      requireNotSystemProject(before, input)
      return {
        writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'project', id: before.id }],
      }
    },
    async delete(_caller, project) {
      requireNotSystemProject(project, 'delete')
      const impact = await registry.impactOf('projects', project.id, clock())
      requireNoServers('project', impact)
      return {
        changes: { touched: [impact, null] },
        writes: [{ do: 'require-no-servers', of: 'project', id: project.id }],
      }
    },
  })
}
