import { api } from '../../api/client.ts'
import { groupUsersQuery } from '../../api/queries/relations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { EnabledMark } from './enabled-mark.tsx'
import { RelatedSection } from './related-section.tsx'

export function GroupMembers({ id }: { readonly id: string }) {
  const t = useMessages()
  const permission = usePermission('listGroupUsers')
  return (
    <RelatedSection
      words={{
        title: t.identity.members,
        none: t.identity.noMembers,
        add: t.identity.addMember,
        pick: t.identity.one.users,
        remove: t.identity.remove,
        removeOf: t.identity.removeOf,
        added: t.identity.added,
        removed: t.identity.removed,
      }}
      kind="users"
      query={groupUsersQuery(id)}
      columns={[
        {
          key: 'displayname',
          title: t.identity.fields.displayname,
          cell: ({ displayname }) => displayname,
        },
        { key: 'email', title: t.identity.fields.email, cell: ({ email }) => email },
        {
          key: 'enabled',
          title: t.identity.state,
          cell: ({ enabled }) => <EnabledMark enabled={enabled} />,
        },
      ]}
      hidden={permission.reason}
      addOperation="addGroupUser"
      removeOperation="removeGroupUser"
      add={(user_id) => api.addGroupUser({ parameters: { id, user_id } })}
      remove={(user_id) => api.removeGroupUser({ parameters: { id, user_id } })}
    />
  )
}
