import type { assignmentOperations } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import type {
  GrantReference,
  ScopeReference,
} from '../../domain/identity/administration/plan-grants.ts'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { GrantRecord } from '../../domain/identity/administration/registry.ts'
import type { Holder } from '../../domain/identity/administration/resources.ts'
import type { Condition } from '../../domain/query/condition.ts'
import { allOf, oneOf } from '../../domain/query/conditions.ts'
import type { HandlersFor } from '../register-operations.ts'
import { answerPage, readKeystoneQuery } from './pages.ts'
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

/** On the wire, assignments have other keys than the fields that one can filter by. */
const assignmentFields = {
  ...queryFieldsByKind.role_assignments,
  keys: ['role', 'user', 'group', 'scope', 'links'],
}

/** Keystone's names of filters. */
const dottedFields = {
  'user.id': 'user_id',
  'group.id': 'group_id',
  'role.id': 'role_id',
  'scope.project.id': 'project_id',
  'scope.domain.id': 'domain_id',
} as const

type Dotted = Partial<Record<keyof typeof dottedFields | 'scope.system', string>>

const isEmpty = (field: string) =>
  ({ kind: 'field', field, comparison: 'isempty', values: [] }) as const

function readDotted(parameters: Dotted): Condition<string>[] {
  const names = Object.keys(dottedFields) as (keyof typeof dottedFields)[]
  return [
    ...names.flatMap((name) => {
      const id = parameters[name]
      return id === undefined ? [] : [oneOf(dottedFields[name], [id])]
    }),
    ...(parameters['scope.system'] === undefined ? [] : ['project_id', 'domain_id'].map(isEmpty)),
  ]
}

/** Handlers for role assignments of users and groups on projects, domains and the system. */
export function createAssignmentHandlers(
  dependencies: Dependencies,
): HandlersFor<typeof assignmentOperations> {
  const { administration: use, renderers, authUrl } = dependencies

  const holderOf = ({ user_id, group_id = '' }: Path): Holder =>
    user_id === undefined ? { kind: 'group', id: group_id } : { kind: 'user', id: user_id }

  const handlersFor = (scopeOf: (path: Path) => ScopeReference) => {
    const grantOf = (path: Path): GrantReference => ({
      roleId: path.role_id ?? '',
      holder: holderOf(path),
      on: scopeOf(path),
    })
    return {
      async list({ caller, parameters, query, url }: PathCall & { readonly query: object }) {
        const listQuery = readKeystoneQuery(queryFieldsByKind.roles, query, 'name')
        const scope = scopeOf(parameters)
        const page = await use.listHeldRoles(caller, holderOf(parameters), scope, listQuery)
        return await answerPage('roles', page, renderers.roles, listQuery, authUrl + url)
      },
      async grant({ caller, parameters }: PathCall) {
        await use.grantRole(caller, grantOf(parameters))
        return done
      },
      async check({ caller, parameters }: PathCall) {
        await use.checkGrant(caller, grantOf(parameters))
        return done
      },
      async revoke({ caller, parameters }: PathCall) {
        await use.revokeRole(caller, grantOf(parameters))
        return done
      },
    }
  }

  const project = handlersFor(({ id = '' }) => ({ kind: 'project', id }))
  const domain = handlersFor(({ id = '' }) => ({ kind: 'domain', id }))
  const system = handlersFor(() => ({ kind: 'system' }))

  type Joining = { readonly projects: readonly string[]; readonly roles: readonly string[] }
  const pairsOf = ({ projects, roles }: Joining) =>
    projects.flatMap((project) => roles.map((role) => ({ project, role })))
  const user = (id: string): Holder => ({ kind: 'user', id })
  const group = (id: string): Holder => ({ kind: 'group', id })

  return {
    async listRoleAssignments({ caller, query, url }) {
      const { effective = false, include_names: names = false, ...parameters } = query
      const listQuery = readKeystoneQuery(assignmentFields, parameters, 'role')
      const where = allOf([listQuery.where, ...readDotted(parameters)])
      const page = await use.listRoleAssignments(caller, { ...listQuery, where, effective })
      const render = (grant: GrantRecord) => renderers.assignment(grant, { names, effective })
      return await answerPage('role_assignments', page, render, listQuery, authUrl + url)
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

    joinUserProjects: async ({ caller, parameters: { id }, body }) => ({
      status: 200,
      body: { user: await use.joinProjects(caller, user(id), pairsOf(body.user)) },
    }),
    leaveUserProjects: async ({ caller, parameters: { id }, body }) => ({
      status: 200,
      body: { user: await use.leaveProjects(caller, user(id), body.user.project_roles) },
    }),
    joinGroupProjects: async ({ caller, parameters: { id }, body }) => ({
      status: 200,
      body: { group: await use.joinProjects(caller, group(id), pairsOf(body.group)) },
    }),
    leaveGroupProjects: async ({ caller, parameters: { id }, body }) => ({
      status: 200,
      body: { group: await use.leaveProjects(caller, group(id), body.group.project_roles) },
    }),
  }
}
