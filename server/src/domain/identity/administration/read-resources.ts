import type { Impact, RequiredPermission } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { allOf, oneOf } from '../../query/conditions.ts'
import type { Page } from '../../query/list-query.ts'
import { everywhere } from '../../scope.ts'
import { restrictionOf } from '../access-key/key-restriction.ts'
import type { Caller } from '../caller.ts'
import { findAuthorizedScope } from '../authorized-scope.ts'
import { narrowScope } from '../choose-scope.ts'
import { contactScopes } from '../contacts.ts'
import { requesterOf } from '../requester-of.ts'
import { requireResource, resolveId, notFound } from './require-resource.ts'
import { isOwnerOf } from './service-accounts.ts'
import type {
  AssignmentQuery,
  GrantRecord,
  Registry,
  RelatedTo,
  ResourceQuery,
} from './registry.ts'
import type { ResourceKind, Resources } from './resources.ts'

const toList = (service: RequiredPermission['service'], resource: string): RequiredPermission => ({
  service,
  resource,
  action: 'list',
  at: ['system', 'domain', 'project'],
})

/** Lists and single resources. The query itself restricts them to the caller's scope. */
export function createReadUseCases(registry: Registry, clock: Clock) {
  /** A list as the caller may see it. What is related to the caller needs no permission. */
  const list = <K extends ResourceKind>(
    kind: K,
    caller: Caller,
    query: ResourceQuery,
    relatedTo?: RelatedTo,
    maxScope = caller.authorizedScope,
  ): Promise<Page<Resources[K]>> =>
    registry.list(
      kind,
      narrowScope({ principal: caller.principal, authorizedScope: maxScope }, query.scope),
      query,
      {
        ...(relatedTo && { relatedTo }),
        ...(kind === 'users' && { contacts: contactScopes(caller.principal) }),
        requester: requesterOf(caller),
      },
    )

  /** Domains are in no domain, and roles and policies in each of them. */
  const isInDomain = async (kind: ResourceKind, id: string, domainId: string) =>
    kind === 'domains' ||
    (await registry.find(kind, id, {
      scope: { kind: 'domain', domainId },
      self: undefined,
    })) !== undefined

  return {
    listResources: <K extends ResourceKind>(kind: K, caller: Caller, query: ResourceQuery) =>
      list(kind, caller, query),

    async getResource<K extends ResourceKind>(
      kind: K,
      { authorizedScope }: Caller,
      id: string,
      domainId?: string,
    ): Promise<Resources[K]> {
      const resource = await requireResource(registry, kind, id, authorizedScope)
      if (domainId !== undefined && !(await isInDomain(kind, id, domainId))) throw notFound(kind)
      return resource
    },

    /** The id of what the caller means by an id or a name, within the scope of the operation. */
    async findId(
      kind: ResourceKind,
      { authorizedScope }: Caller,
      idOrName: string,
      domain?: string,
    ): Promise<string> {
      const resolve = (kind: ResourceKind, idOrName: string, domainId?: string) =>
        resolveId(registry, kind, idOrName, authorizedScope, domainId)
      if (domain === undefined) return await resolve(kind, idOrName)
      const domainId = await resolve('domains', domain)
      const id = await resolve(kind, idOrName, domainId)
      if (!(await isInDomain(kind, id, domainId))) throw notFound(kind)
      return id
    },

    listPolicyBindings: (caller: Caller, query: ResourceQuery) =>
      registry.listPolicyBindings(query, requesterOf(caller)),

    getProjectSummaries: (caller: Caller, ids: readonly string[]) =>
      registry.summarizeProjects(ids, {
        projects: caller.authorizedScope,
        servers: findAuthorizedScope(caller.principal, toList('compute', 'servers')),
        users: findAuthorizedScope(caller.principal, toList('identity', 'users')),
      }),

    async listUserProjects(caller: Caller, userId: string, query: ResourceQuery) {
      await requireResource(registry, 'users', userId, caller.authorizedScope)
      const isOwn =
        userId === caller.principal.token.userId || (await isOwnerOf(registry, caller, userId))
      const relatedTo = { relation: 'projects-of-user', userId } as const
      const listed = restrictionOf(caller.principal.token)?.projects
      const visible = listed
        ? { ...query, where: allOf([oneOf('id', listed), query.where]) }
        : query
      return await list('projects', caller, visible, relatedTo, isOwn ? everywhere : undefined)
    },

    async listUserGroups(caller: Caller, userId: string, query: ResourceQuery) {
      await requireResource(registry, 'users', userId, caller.authorizedScope)
      const isOwn = userId === caller.principal.token.userId
      const relatedTo = { relation: 'groups-of-user', userId } as const
      return await list('groups', caller, query, relatedTo, isOwn ? everywhere : undefined)
    },

    async listGroupUsers(caller: Caller, groupId: string, query: ResourceQuery) {
      await requireResource(registry, 'groups', groupId, caller.authorizedScope)
      return await list('users', caller, query, { relation: 'members-of-group', groupId })
    },

    async listRolePolicies(caller: Caller, roleId: string, query: ResourceQuery) {
      await requireResource(registry, 'roles', roleId, caller.authorizedScope)
      return await list('policies', caller, query, { relation: 'policies-of-role', roleId })
    },

    listRoleAssignments: (caller: Caller, query: AssignmentQuery): Promise<Page<GrantRecord>> =>
      registry.listGrants(narrowScope(caller, query.scope), query, requesterOf(caller)),

    async getImpact(
      kind: 'domains' | 'projects' | 'users',
      caller: Caller,
      id: string,
    ): Promise<Impact> {
      await requireResource(registry, kind, id, caller.authorizedScope)
      return await registry.impactOf(kind, id, clock())
    },
  }
}
