import type { RoleAssignmentDto } from '@muster/contract'
import type { Grant } from '../../api/grants.ts'

interface Principal {
  readonly kind: 'user' | 'group'
  readonly id: string
  readonly name: string
}

interface Scope {
  readonly kind: 'project' | 'domain' | 'system'
  readonly id: string
  readonly name: string
  /** The domain of a project. */
  readonly domain: string
}

/** A role assignment with display names. */
export interface Assignment {
  readonly key: string
  readonly role: { readonly id: string; readonly name: string }
  readonly principal: Principal
  readonly scope: Scope
  /** The group that grants the role to the user. */
  readonly through: string | undefined
}

function principalOf({ user, group }: RoleAssignmentDto): Principal {
  const { id = '', name = id } = user ?? group ?? {}
  return { kind: user ? 'user' : 'group', id, name }
}

function scopeOf({ project, domain }: RoleAssignmentDto['scope']): Scope {
  if (project) {
    const { id, name = id } = project
    return { kind: 'project', id, name, domain: project.domain?.name ?? '' }
  }
  if (domain) return { kind: 'domain', id: domain.id, name: domain.name ?? domain.id, domain: '' }
  return { kind: 'system', id: '', name: '', domain: '' }
}

export function toAssignment(view: RoleAssignmentDto): Assignment {
  const { id, name = id } = view.role
  const [, through] = /\/groups\/([^/]+)\/users\//.exec(view.links.membership ?? '') ?? []
  return {
    key: `${view.links.assignment} ${view.user?.id ?? ''}`,
    role: { id, name },
    principal: principalOf(view),
    scope: scopeOf(view.scope),
    through,
  }
}

export const toGrant = ({
  role,
  principal,
  scope,
}: Omit<Assignment, 'key' | 'through'>): Grant => ({
  roleId: role.id,
  principal: { kind: principal.kind, id: principal.id },
  scope: scope.kind === 'system' ? { kind: 'system' } : { kind: scope.kind, id: scope.id },
})
