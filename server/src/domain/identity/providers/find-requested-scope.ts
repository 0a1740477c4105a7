import { all, type Registry } from '../administration/registry.ts'
import type { Domain, Project } from '../administration/resources.ts'
import { type Scope, everywhere } from '../../scope.ts'
import { nameKey } from '../../name-key.ts'
import type { DomainReference, MemberReference } from '../ports.ts'
import type { RequestedScope } from '../token-scope.ts'

const named = (filters: Parameters<typeof all>[0]) => ({ ...all(filters), limit: 1 })

/**
 * Finds the requested scope of a user who may not exist yet; undefined if it does not exist or is
 * disabled.
 */
export function createFindRequestedScope(registry: Registry) {
  async function findDomain({ id, name }: DomainReference): Promise<Domain | undefined> {
    if (id !== undefined) {
      const domain = await registry.find('domains', id, everywhere)
      return domain && isCalled(domain, name) ? domain : undefined
    }
    const { items } = await registry.list('domains', everywhere, named({ name: name ?? '' }))
    return items[0]
  }

  const isOpen = async ({ enabled, domain_id }: Project): Promise<boolean> =>
    enabled && (await registry.find('domains', domain_id, everywhere))?.enabled === true

  /** Id, name and domain of a project must all match if given, as for any other login. */
  async function findProject({ id, name, domain }: MemberReference): Promise<Project | undefined> {
    const home = domain && (await findDomain(domain))
    if (domain && !home) return undefined
    if (id !== undefined) {
      const project = await registry.find('projects', id, everywhere)
      const isThere = project && isCalled(project, name) && (!home || home.id === project.domain_id)
      return isThere ? project : undefined
    }
    const query = named({ name: name ?? '', domain_id: home?.id ?? '' })
    const { items } = await registry.list('projects', everywhere, query)
    return items[0]
  }

  return async function findRequestedScope(
    requested: Exclude<RequestedScope, { kind: 'default' }>,
  ): Promise<Exclude<Scope, { kind: 'system' }> | undefined> {
    if (requested.kind === 'domain') {
      const domain = await findDomain(requested.domain)
      return domain?.enabled ? { kind: 'domain', domainId: domain.id } : undefined
    }
    const project = await findProject(requested.project)
    if (!project || !(await isOpen(project))) return undefined
    return { kind: 'project', projectId: project.id, domainId: project.domain_id }
  }
}

const isCalled = (record: { readonly name: string }, name: string | undefined) =>
  name === undefined || nameKey(name) === nameKey(record.name)
