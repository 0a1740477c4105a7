import type { PolicyDto } from '@muster/contract'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Section } from '../../ui/section.tsx'
import { AssignmentsSection } from './assignments-section.tsx'
import { GroupMembers } from './group-members.tsx'
import { RolePolicies } from './role-policies.tsx'
import { RulesTable } from './rules-table.tsx'
import { UserGroups } from './user-groups.tsx'
import { UserKeys } from './user-keys.tsx'

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
}

/** What belongs to an entity. */
export function EntitySections({ kind, entity }: Props) {
  const t = useMessages()
  const { id, name } = entity
  switch (kind) {
    case 'projects':
      return <AssignmentsSection of={{ kind: 'project', id, name }} />
    case 'domains':
      return <AssignmentsSection of={{ kind: 'domain', id, name }} />
    case 'users':
      return (
        <>
          <AssignmentsSection of={{ kind: 'user', id, name }} />
          <UserGroups id={id} />
          <UserKeys id={id} />
        </>
      )
    case 'groups':
      return (
        <>
          <GroupMembers id={id} />
          <AssignmentsSection of={{ kind: 'group', id, name }} />
        </>
      )
    case 'roles':
      return (
        <>
          <RolePolicies id={id} />
          <AssignmentsSection of={{ kind: 'role', id, name }} />
        </>
      )
    case 'policies':
      return (
        <Section title={t.identity.rules} lead={t.identity.ruleOrder}>
          <RulesTable rules={(entity as PolicyDto).rules} />
        </Section>
      )
  }
}
