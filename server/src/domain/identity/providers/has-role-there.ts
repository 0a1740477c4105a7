import { isDeepStrictEqual } from 'node:util'
import type { Scope } from '../../scope.ts'
import { scopeOf } from '../administration/authority.ts'
import type { Registry } from '../administration/registry.ts'
import type { User } from '../administration/resources.ts'
import type { RequestedScope } from '../token-scope.ts'
import { createFindRequestedScope } from './find-requested-scope.ts'
import { hasGrant, type MappedRoles } from './map-roles.ts'

/** Whether a user will hold a role in the requested scope, once the mapping is applied. */
export function createHasRoleThere(registry: Registry) {
  const findRequestedScope = createFindRequestedScope(registry)

  /** The scopes in which the user will hold a role, by the mapping or granted by others. */
  async function scopesOf(user: User, { wanted, given }: MappedRoles): Promise<Scope[]> {
    const held = await registry.assignmentsOf({ kind: 'user', id: user.id })
    const byOthers = held.filter((assignment) => {
      const { role, group } = assignment
      const holder = { kind: 'user', id: user.id } as const
      return group || !hasGrant(given, { roleId: role.id, holder, scope: scopeOf(assignment) })
    })
    return [...wanted.map(({ scope }) => scope), ...byOthers.map(scopeOf)]
  }

  /** A project by name only: of the user's own domain, else the only one of that name. */
  async function findAmong(scopes: readonly Scope[], { domain_id }: User, name = '') {
    const ids = new Set(
      scopes.flatMap((scope) => (scope.kind === 'project' ? [scope.projectId] : [])),
    )
    const named: Scope[] = []
    for (const id of ids) {
      const scope = await findRequestedScope({ kind: 'project', project: { id, name } })
      if (scope?.domainId === domain_id) return scope
      if (scope) named.push(scope)
    }
    return named.length === 1 ? named[0] : undefined
  }

  return async function hasRoleThere(
    user: User,
    requested: RequestedScope,
    roles: MappedRoles,
  ): Promise<boolean> {
    if (requested.kind === 'default') return true
    const scopes = await scopesOf(user, roles)
    const isAnywhere =
      requested.kind === 'project' && !requested.project.id && !requested.project.domain
    const wanted = isAnywhere
      ? await findAmong(scopes, user, requested.project.name)
      : await findRequestedScope(requested)
    return wanted !== undefined && scopes.some((scope) => isDeepStrictEqual(scope, wanted))
  }
}
