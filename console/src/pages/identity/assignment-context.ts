import type { OperationId } from '@muster/contract'
import type { AssignmentQuery } from '../../api/queries/assignments.ts'

/** The entity whose role assignments are listed: a scope, a principal or a role. */
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
      // Include roles granted through groups.
      return { 'user.id': id, effective: true }
    case 'group':
      return { 'group.id': id }
    case 'role':
      return { 'role.id': id }
  }
}

const scopeNames = { project: 'Project', domain: 'Domain', system: 'System' } as const
const principalNames = { user: 'User', group: 'Group' } as const

/** The operation that grants or revokes a role. */
export const operationOf = (
  verb: 'grant' | 'revoke',
  scope: keyof typeof scopeNames,
  principal: keyof typeof principalNames,
): OperationId => `${verb}${scopeNames[scope]}${principalNames[principal]}Role`
