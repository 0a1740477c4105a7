import type { OperationId } from '@muster/contract'
import type { AssignmentQuery } from '../../api/queries/assignments.ts'

/** Whose assignments are looked at: those at a scope, of a principal, or of a role. */
export interface AssignmentContext {
  readonly kind: 'project' | 'domain' | 'user' | 'group' | 'role'
  readonly id: string
  readonly name: string
}

export function toAssignmentQuery({ kind, id }: AssignmentContext): AssignmentQuery {
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

const scopeNames = { project: 'Project', domain: 'Domain', system: 'System' } as const
const principalNames = { user: 'User', group: 'Group' } as const

/** The operation that gives or takes a role there. */
export const operationOf = (
  verb: 'grant' | 'revoke',
  scope: keyof typeof scopeNames,
  principal: keyof typeof principalNames,
): OperationId => `${verb}${scopeNames[scope]}${principalNames[principal]}Role`
