import { api } from '../../api/client.ts'
import { rolePoliciesQuery } from '../../api/queries/relations.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { EnabledMark } from './enabled-mark.tsx'
import { RelatedSection } from './related-section.tsx'

export function RolePolicies({ id }: { readonly id: string }) {
  const t = useMessages()
  const permission = usePermission('listRolePolicies')
  return (
    <RelatedSection
      words={{
        title: t.identity.boundPolicies,
        none: t.identity.noPolicies,
        add: t.identity.bind,
        pick: t.identity.policy,
        remove: t.identity.unbind,
        removeOf: t.identity.unbindOf,
        added: t.identity.bound,
        removed: t.identity.unbound,
      }}
      kind="policies"
      query={rolePoliciesQuery(id)}
      columns={[
        {
          key: 'scope',
          title: t.identity.fields.scope,
          cell: ({ scope }) => t.identity.levels[scope],
        },
        {
          key: 'rules',
          title: t.identity.ruleCount,
          number: true,
          cell: ({ rules }) => rules.length,
        },
        {
          key: 'enabled',
          title: t.identity.state,
          cell: ({ enabled }) => <EnabledMark enabled={enabled} />,
        },
      ]}
      hidden={permission.reason}
      addOperation="bindPolicy"
      removeOperation="unbindPolicy"
      add={(policy_id) => api.bindPolicy({ parameters: { id, policy_id } })}
      remove={(policy_id) => api.unbindPolicy({ parameters: { id, policy_id } })}
    />
  )
}
