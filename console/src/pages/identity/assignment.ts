import type { RoleAssignmentView } from '@muster/contract'
import type { Grant } from '../../api/grants.ts'

interface Holder {
  readonly kind: 'user' | 'group'
  readonly id: string
  readonly name: string
}

interface Place {
  readonly kind: 'project' | 'domain' | 'system'
  readonly id: string
  readonly name: string
  /** The domain of a project. */
  readonly domain: string
}

/** Who holds which role where, with something to say for each. */
export interface Assignment {
  readonly key: string
  readonly role: { readonly id: string; readonly name: string }
  readonly holder: Holder
  readonly place: Place
  /** The group through whose membership a user holds it. */
  readonly through: string | undefined
}

function holderOf({ user, group }: RoleAssignmentView): Holder {
  const { id = '', name = id } = user ?? group ?? {}
  return { kind: user ? 'user' : 'group', id, name }
}

function placeOf({ project, domain }: RoleAssignmentView['scope']): Place {
  if (project) {
    const { id, name = id } = project
    return { kind: 'project', id, name, domain: project.domain?.name ?? '' }
  }
  if (domain) return { kind: 'domain', id: domain.id, name: domain.name ?? domain.id, domain: '' }
  return { kind: 'system', id: '', name: '', domain: '' }
}

export function toAssignment(view: RoleAssignmentView): Assignment {
  const { id, name = id } = view.role
  const [, through] = /\/groups\/([^/]+)\/users\//.exec(view.links.membership ?? '') ?? []
  return {
    key: `${view.links.assignment} ${view.user?.id ?? ''}`,
    role: { id, name },
    holder: holderOf(view),
    place: placeOf(view.scope),
    through,
  }
}

export const toGrant = ({ role, holder, place }: Omit<Assignment, 'key' | 'through'>): Grant => ({
  roleId: role.id,
  holder: { kind: holder.kind, id: holder.id },
  place: place.kind === 'system' ? { kind: 'system' } : { kind: place.kind, id: place.id },
})
