import { usePermission } from '../../session/use-permission.ts'
import { RoleName } from '../../session/role-name.tsx'
import { roleText } from '../../session/role-text.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/table.tsx'
import type { Assignment } from './assignment.ts'
import { operationOf, type AssignmentContext } from './assignment-context.ts'
import { EntityLink } from './entity-link.tsx'
import { useNames } from './use-choices.ts'

/** The columns of an assignments table, without the column that is the same in all rows. */
export function useAssignmentColumns(
  of: AssignmentContext['kind'],
  onRevoke: (assignment: Assignment) => void,
): readonly Column<Assignment>[] {
  const t = useAllMessages()
  const groups = useNames('groups')
  const who: Column<Assignment> = {
    key: 'who',
    title: t.identity.who,
    cell: ({ principal }) => (
      <EntityLink kind={principal.kind === 'user' ? 'users' : 'groups'} id={principal.id}>
        {principal.name}
      </EntityLink>
    ),
  }
  const kind: Column<Assignment> = {
    key: 'kind',
    title: t.identity.principalKind,
    cell: ({ principal }) => t.identity[principal.kind],
  }
  const role: Column<Assignment> = {
    key: 'role',
    title: t.identity.role,
    cell: ({ role }) => (
      <EntityLink kind="roles" id={role.id}>
        <RoleName name={role.name} />
      </EntityLink>
    ),
  }
  const where: Column<Assignment> = {
    key: 'where',
    title: t.identity.where,
    cell: ({ scope }) => <Where scope={scope} />,
  }
  const level: Column<Assignment> = {
    key: 'level',
    title: t.identity.scopeKind,
    cell: ({ scope }) =>
      scope.kind === 'project' ? `${t.identity.project} · ${scope.domain}` : t.identity[scope.kind],
  }
  const through: Column<Assignment> = {
    key: 'through',
    title: t.identity.through,
    cell: ({ through: group }) =>
      group === undefined ? (
        t.identity.direct
      ) : (
        <EntityLink kind="groups" id={group}>
          {groups.get(group) ?? group}
        </EntityLink>
      ),
  }
  const revoke: Column<Assignment> = {
    key: 'revoke',
    title: t.common.actions,
    number: true,
    cell: (assignment) => <RevokeButton assignment={assignment} onRevoke={onRevoke} />,
  }
  const about = {
    project: [who, kind, role],
    domain: [who, kind, role],
    user: [role, where, level, through],
    group: [role, where, level],
    role: [who, kind, where, level],
  }[of]
  return [...about, revoke]
}

function Where({ scope }: { readonly scope: Assignment['scope'] }) {
  if (scope.kind === 'system') return '–'
  return (
    <EntityLink kind={scope.kind === 'project' ? 'projects' : 'domains'} id={scope.id}>
      {scope.name}
    </EntityLink>
  )
}

interface RevokeProps {
  readonly assignment: Assignment
  readonly onRevoke: (assignment: Assignment) => void
}

function RevokeButton({ assignment, onRevoke }: RevokeProps) {
  const t = useAllMessages()
  const { principal, scope, role, through } = assignment
  const permission = usePermission(operationOf('revoke', scope.kind, principal.kind))
  const reason = through === undefined ? permission.reason : t.identity.throughGroup
  return (
    <Button
      small
      look="quiet"
      aria-label={t.identity.revokeOf(roleText(t, role).label, principal.name)}
      disabledReason={reason}
      onClick={() => onRevoke(assignment)}
    >
      {t.identity.revoke}
    </Button>
  )
}
