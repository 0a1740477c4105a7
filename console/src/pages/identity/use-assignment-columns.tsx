import { useMay } from '../../session/use-may.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/table.tsx'
import type { Assignment } from './assignment.ts'
import { operationOf, type Subject } from './subject.ts'
import { EntityLink } from './entity-link.tsx'
import { useNames } from './use-choices.ts'

/** The columns of a table of assignments: without what all of its rows have in common. */
export function useAssignmentColumns(
  of: Subject['kind'],
  onRevoke: (assignment: Assignment) => void,
): readonly Column<Assignment>[] {
  const t = useMessages()
  const groups = useNames('groups')
  const who: Column<Assignment> = {
    key: 'who',
    title: t.identity.who,
    cell: ({ holder }) => (
      <EntityLink kind={holder.kind === 'user' ? 'users' : 'groups'} id={holder.id}>
        {holder.name}
      </EntityLink>
    ),
  }
  const kind: Column<Assignment> = {
    key: 'kind',
    title: t.identity.kindOfHolder,
    cell: ({ holder }) => t.identity[holder.kind],
  }
  const role: Column<Assignment> = {
    key: 'role',
    title: t.identity.role,
    cell: ({ role }) => (
      <EntityLink kind="roles" id={role.id}>
        {role.name}
      </EntityLink>
    ),
  }
  const where: Column<Assignment> = {
    key: 'where',
    title: t.identity.where,
    cell: ({ place }) => <Where place={place} />,
  }
  const level: Column<Assignment> = {
    key: 'level',
    title: t.identity.kindOfPlace,
    cell: ({ place }) =>
      place.kind === 'project' ? `${t.identity.project} · ${place.domain}` : t.identity[place.kind],
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

function Where({ place }: { readonly place: Assignment['place'] }) {
  if (place.kind === 'system') return '–'
  return (
    <EntityLink kind={place.kind === 'project' ? 'projects' : 'domains'} id={place.id}>
      {place.name}
    </EntityLink>
  )
}

interface RevokeProps {
  readonly assignment: Assignment
  readonly onRevoke: (assignment: Assignment) => void
}

function RevokeButton({ assignment, onRevoke }: RevokeProps) {
  const t = useMessages()
  const { holder, place, role, through } = assignment
  const may = useMay(operationOf('revoke', place.kind, holder.kind))
  const reason = through === undefined ? may.reason : t.identity.throughGroup
  return (
    <Button
      small
      look="quiet"
      aria-label={t.identity.revokeOf(role.name, holder.name)}
      disabledReason={reason}
      onClick={() => onRevoke(assignment)}
    >
      {t.identity.revoke}
    </Button>
  )
}
