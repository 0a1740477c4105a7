import { api } from '../../api/client.ts'
import { userGroupsQuery } from '../../api/queries/relations.ts'
import { useUserPermission } from '../../session/use-user-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { RelatedSection } from './related-section.tsx'

export function UserGroups({ id }: { readonly id: string }) {
  const t = useMessages()
  const permission = useUserPermission('listUserGroups', id)
  return (
    <RelatedSection
      words={{
        title: t.identity.groupsOf,
        none: t.identity.noGroups,
        add: t.identity.joinGroup,
        pick: t.identity.one.groups,
        remove: t.identity.remove,
        removeOf: t.identity.removeOf,
        added: t.identity.joined,
        removed: t.identity.left,
      }}
      kind="groups"
      query={userGroupsQuery(id)}
      columns={[
        {
          key: 'description',
          title: t.common.description,
          cell: ({ description }) => description,
        },
      ]}
      hidden={permission.reason}
      addOperation="addGroupUser"
      removeOperation="removeGroupUser"
      add={(group) => api.addGroupUser({ parameters: { id: group, user_id: id } })}
      remove={(group) => api.removeGroupUser({ parameters: { id: group, user_id: id } })}
    />
  )
}
