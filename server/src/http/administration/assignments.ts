import type { assignmentOperations } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import type { ScopeReference } from '../../domain/identity/administration/assignments.ts'
import type { Holder } from '../../domain/identity/administration/resources.ts'
import type { HandlersFor } from '../register-operations.ts'
import { answerSlice, answerPage, pageSize, position } from './pages.ts'
import type { Renderers } from './render-resources.ts'

interface Dependencies {
  readonly administration: Administration
  readonly renderers: Renderers
  readonly authUrl: string
}

/** The path parameters of any of these operations. */
interface Path {
  readonly id?: string
  readonly user_id?: string
  readonly group_id?: string
  readonly role_id?: string
}
interface PathCall {
  readonly caller: Caller
  readonly parameters: Path
  readonly url: string
}

const done = { status: 204 } as const

/** Handlers for role assignments of users and groups on projects, domains and the system. */
export function createAssignmentHandlers(
  dependencies: Dependencies,
): HandlersFor<typeof assignmentOperations> {
  const { administration: use, renderers, authUrl } = dependencies

  const holderOf = ({ user_id, group_id = '' }: Path): Holder =>
    user_id === undefined ? { kind: 'group', id: group_id } : { kind: 'user', id: user_id }

  const handlersFor = (scopeOf: (path: Path) => ScopeReference) => ({
    async list({ caller, parameters, query, url }: PathCall & { readonly query: object }) {
      const roles = await use.listHeldRoles(caller, holderOf(parameters), scopeOf(parameters))
      return answerSlice('roles', roles.map(renderers.roles), query, authUrl + url)
    },
    async grant({ caller, parameters }: PathCall) {
      const { role_id = '' } = parameters
      await use.grantRole(caller, role_id, holderOf(parameters), scopeOf(parameters))
      return done
    },
    async check({ caller, parameters }: PathCall) {
      const { role_id = '' } = parameters
      await use.checkGrant(caller, role_id, holderOf(parameters), scopeOf(parameters))
      return done
    },
    async revoke({ caller, parameters }: PathCall) {
      const { role_id = '' } = parameters
      await use.revokeRole(caller, role_id, holderOf(parameters), scopeOf(parameters))
      return done
    },
  })

  const project = handlersFor(({ id = '' }) => ({ kind: 'project', id }))
  const domain = handlersFor(({ id = '' }) => ({ kind: 'domain', id }))
  const system = handlersFor(() => ({ kind: 'system' }))

  return {
    async listRoleAssignments({ caller, query, url }) {
      const style = { names: query.include_names ?? false, effective: query.effective ?? false }
      const page = await use.listRoleAssignments(caller, {
        ...(query['user.id'] !== undefined && { userId: query['user.id'] }),
        ...(query['group.id'] !== undefined && { groupId: query['group.id'] }),
        ...(query['role.id'] !== undefined && { roleId: query['role.id'] }),
        ...(query['scope.project.id'] !== undefined && { projectId: query['scope.project.id'] }),
        ...(query['scope.domain.id'] !== undefined && { domainId: query['scope.domain.id'] }),
        ...(query['scope.system'] !== undefined && { scope: 'system' as const }),
        effective: style.effective,
        limit: pageSize(query.limit),
        ...position(query.marker, query.offset),
      })
      return answerPage(
        'role_assignments',
        page,
        (grant) => renderers.assignment(grant, style),
        authUrl + url,
      )
    },

    listProjectUserRoles: project.list,
    grantProjectUserRole: project.grant,
    checkProjectUserRole: project.check,
    revokeProjectUserRole: project.revoke,
    listProjectGroupRoles: project.list,
    grantProjectGroupRole: project.grant,
    checkProjectGroupRole: project.check,
    revokeProjectGroupRole: project.revoke,
    listDomainUserRoles: domain.list,
    grantDomainUserRole: domain.grant,
    checkDomainUserRole: domain.check,
    revokeDomainUserRole: domain.revoke,
    listDomainGroupRoles: domain.list,
    grantDomainGroupRole: domain.grant,
    checkDomainGroupRole: domain.check,
    revokeDomainGroupRole: domain.revoke,
    listSystemUserRoles: system.list,
    grantSystemUserRole: system.grant,
    checkSystemUserRole: system.check,
    revokeSystemUserRole: system.revoke,
    listSystemGroupRoles: system.list,
    grantSystemGroupRole: system.grant,
    checkSystemGroupRole: system.check,
    revokeSystemGroupRole: system.revoke,
  }
}
