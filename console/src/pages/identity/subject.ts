import type { OperationId } from '@muster/contract'
import type { AssignmentQuery } from '../../api/queries/assignments.ts'

/** Whose assignments are looked at: those at a place, of a holder, or of a role. */
export interface Subject {
  readonly kind: 'project' | 'domain' | 'user' | 'group' | 'role'
  readonly id: string
  readonly name: string
}

export function toAssignmentQuery({ kind, id }: Subject): AssignmentQuery {
  switch (kind) {
    case 'project':
      return { 'scope.project.id': id }
    case 'domain':
      return { 'scope.domain.id': id }
    case 'user':
      // What somebody holds through a group is what people ask about first.
      return { 'user.id': id, effective: true }
    case 'group':
      return { 'group.id': id }
    case 'role':
      return { 'role.id': id }
  }
}

const placeWords = { project: 'Project', domain: 'Domain', system: 'System' } as const
const holderWords = { user: 'User', group: 'Group' } as const

/** The operation that gives or takes a role there. */
export const operationOf = (
  verb: 'grant' | 'revoke',
  place: keyof typeof placeWords,
  holder: keyof typeof holderWords,
): OperationId => `${verb}${placeWords[place]}${holderWords[holder]}Role`
