import type {
  IdentityProviderDto,
  DomainDto,
  NewCredentialDto,
  PolicyDto,
  PolicyRule,
  ProjectDto,
  UserDto,
} from '@muster/contract'
import { useState } from 'react'
import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Section, Nothing } from '../../ui/section.tsx'
import { AssignmentsSection } from './assignments-section.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Table } from '../../ui/table.tsx'
import { useQuery } from '@tanstack/react-query'
import { accessKeysQuery } from '../../api/queries/access-keys.ts'
import { QueryView } from '../../ui/query-view.tsx'
import { Button } from '../../ui/button.tsx'
import { ProviderSections } from '../identity-providers/provider-sections.tsx'
import { LocalPasswordsSection } from './local-passwords-section.tsx'
import { LoginRulesSection } from './login-rules-section.tsx'
import { LinkLoginDialog } from './link-login-dialog.tsx'
import { LinkedLoginsTable } from './linked-logins-table.tsx'
import { KeysTable } from './keys-table.tsx'
import { api } from '../../api/client.ts'
import {
  groupUsersQuery,
  ownedAccountsQuery,
  rolePoliciesQuery,
  userGroupsQuery,
} from '../../api/queries/relations.ts'
import { RelatedSection } from './related-section.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { CreateKeyDialog } from '../me/create-key-dialog.tsx'
import { SecretDialog } from '../me/secret-dialog.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { EntityLink } from './entity-link.tsx'
import { EnabledMark } from './enabled-mark.tsx'
import { UserFactorsSection } from './user-factors-section.tsx'
import { useUserPermission } from './use-user-permission.ts'

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
}

/** The sections below an entity's properties. */
export function EntitySections({ kind, entity }: Props) {
  const t = useAllMessages()
  const { id, name } = entity
  switch (kind) {
    case 'projects':
      return (
        <AssignmentsSection of={{ kind: 'project', id, name }} project={entity as ProjectDto} />
      )
    case 'domains':
      return (
        <>
          <AssignmentsSection of={{ kind: 'domain', id, name }} />
          <LocalPasswordsSection domain={entity as DomainDto} />
          <LoginRulesSection domain={entity as DomainDto} />
        </>
      )
    case 'users':
      return (
        <>
          <AssignmentsSection of={{ kind: 'user', id, name }} />
          <UserGroups id={id} />
          <UserKeys user={entity as UserDto} />
          {(entity as UserDto).service_account ? null : (
            <>
              <UserLogins user={entity as UserDto} />
              <UserFactorsSection user={entity as UserDto} />
              <OwnedAccounts id={id} />
            </>
          )}
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
    case 'identity_providers':
      return <ProviderSections provider={entity as IdentityProviderDto} />
    default:
      return null
  }
}

function RulesTable({ rules }: { readonly rules: readonly PolicyRule[] }) {
  const t = useAllMessages()
  const word = (value: string) => <code>{value === '*' ? t.identity.any : value}</code>
  return (
    <Table
      caption={t.identity.rules}
      rows={rules.map((rule, at) => ({ ...rule, at }))}
      rowKey={({ at }) => String(at)}
      columns={[
        {
          key: 'effect',
          title: t.identity.effect,
          cell: ({ effect }) => (
            <StatusMark tone={effect === 'allow' ? 'good' : 'bad'}>{t.identity[effect]}</StatusMark>
          ),
        },
        { key: 'service', title: t.identity.service, cell: ({ service }) => word(service) },
        { key: 'resource', title: t.identity.resource, cell: ({ resource }) => word(resource) },
        { key: 'action', title: t.identity.action, cell: ({ action }) => word(action) },
      ]}
    />
  )
}

/** A user's access keys. Those of a service account are created here, those of a person in the person's profile. */
function UserKeys({ user }: { readonly user: UserDto }) {
  const t = useAllMessages()
  const { id } = user
  const permission = useUserPermission('listCredentials', id, user.owner_id)
  const creating = useUserPermission('createCredential', id, user.owner_id)
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<NewCredentialDto>()
  const query = useQuery({ ...accessKeysQuery(id), enabled: permission.allowed })
  const create = (
    <Button small icon="plus" disabledReason={creating.reason} onClick={() => setCreating(true)}>
      {t.me.createKey}
    </Button>
  )
  return (
    <Section title={t.identity.accessKeys} {...(user.service_account && { actions: create })}>
      {isCreating && (
        <CreateKeyDialog
          user={user}
          onClose={() => setCreating(false)}
          onMade={(key) => {
            setCreating(false)
            setMade(key)
          }}
        />
      )}
      {made && <SecretDialog made={made} onClose={() => setMade(undefined)} />}
      {permission.reason === undefined ? (
        <QueryView query={query} empty={<Nothing>{t.identity.noKeys}</Nothing>}>
          {(keys) => <KeysTable keys={keys} />}
        </QueryView>
      ) : (
        <Nothing>{permission.reason}</Nothing>
      )}
    </Section>
  )
}

/** The service accounts that a person is responsible for. */
function OwnedAccounts({ id }: { readonly id: string }) {
  const t = useAllMessages()
  const permission = usePermission('listUsers')
  const query = useQuery({ ...ownedAccountsQuery(id), enabled: permission.allowed })
  if (!query.data || query.data.length === 0) return null
  return (
    <Section title={t.identity.serviceAccounts}>
      <Table
        caption={t.identity.serviceAccounts}
        rows={query.data}
        rowKey={(account) => account.id}
        columns={[
          {
            key: 'name',
            title: t.identity.fields.name,
            cell: (account) => (
              <EntityLink kind="users" id={account.id}>
                {account.name}
              </EntityLink>
            ),
          },
          { key: 'purpose', title: t.identity.fields.purpose, cell: ({ purpose }) => purpose },
          {
            key: 'last_login_at',
            title: t.identity.fields.last_login_at,
            cell: (account) => (
              <TimeAgo time={account.last_login_at} never={t.identity.neverLoggedIn} />
            ),
          },
        ]}
      />
    </Section>
  )
}

/** A user's logins at identity providers. */
function UserLogins({ user }: { readonly user: UserDto }) {
  const t = useAllMessages()
  const permission = useUserPermission('getLinkedLogins', user.id)
  const linking = usePermission('linkLogins')
  const [isLinking, setLinking] = useState(false)
  return (
    <Section
      title={t.identity.linkedLogins}
      actions={
        <Button small icon="plus" disabledReason={linking.reason} onClick={() => setLinking(true)}>
          {t.identity.linkLogin}
        </Button>
      }
    >
      {permission.reason === undefined ? (
        <LinkedLoginsTable userId={user.id} />
      ) : (
        <Nothing>{permission.reason}</Nothing>
      )}
      {isLinking && <LinkLoginDialog user={user} onClose={() => setLinking(false)} />}
    </Section>
  )
}

function UserGroups({ id }: { readonly id: string }) {
  const t = useAllMessages()
  const permission = useUserPermission('listUserGroups', id)
  return (
    <RelatedSection
      texts={{
        title: t.identity.groupsOf,
        none: t.identity.noGroups,
        add: t.identity.joinGroup,
        pick: t.identity.one.groups,
        remove: t.identity.remove,
        removeOf: t.identity.removeOf,
        added: t.identity.joined,
        removed: t.identity.removedFromGroup,
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

function GroupMembers({ id }: { readonly id: string }) {
  const t = useAllMessages()
  const permission = usePermission('listGroupUsers')
  return (
    <RelatedSection
      texts={{
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

function RolePolicies({ id }: { readonly id: string }) {
  const t = useAllMessages()
  const permission = usePermission('listRolePolicies')
  return (
    <RelatedSection
      texts={{
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
