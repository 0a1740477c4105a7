import type { OperationId } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import type { Tables } from '../../storage/tables.ts'
import { tokenIdentity } from '../client.ts'
import type { Things } from './persona-things.ts'

/** The password behind the hash that every user of the organisation has. */
export const ownPassword = 'tussocky moorland'

/** What of a request is not the operation's own. */
export interface Parts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Record<string, string>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface Occasion {
  readonly things: Things
  readonly token: string | undefined
  /** It will be done, so it had better be done to something that nobody misses. */
  readonly isDone: boolean
}

interface Request {
  readonly parts: (occasion: Occasion) => Parts
  /** For a list: the id that is in it when the thing is. */
  readonly shows?: (things: Things) => string
  /** For a change: the tables in which something is different once it is done. */
  readonly changes?: readonly (keyof Tables)[]
  /** It can be done but once to a thing. */
  readonly isFinal?: boolean
}

/** What goes with every change: it is told, and it is news. */
const news = (...tables: (keyof Tables)[]) => [...tables, 'events', 'identity_version'] as const

/** What is different once a server has another tag; nobody has to be asked anew who may do what. */
const tagged = [
  'servers',
  'server_documents',
  'server_tags',
  'server_texts',
  'words',
  'fleet_version',
  'scope_versions',
  'events',
] as const

const look = (parts: (things: Things) => Parts = () => ({})): Request => ({
  parts: ({ things }) => parts(things),
})
const list = (parts: (things: Things) => Parts, shows: (things: Things) => string): Request => ({
  parts: ({ things }) => parts(things),
  shows,
})
const change = (changes: readonly (keyof Tables)[], parts: (things: Things) => Parts): Request => ({
  parts: ({ things }) => parts(things),
  changes,
})
const finish = (
  changes: readonly (keyof Tables)[],
  parts: (things: Things, isDone: boolean) => Parts,
): Request => ({ parts: ({ things, isDone }) => parts(things, isDone), changes, isFinal: true })

const name = () => `new ${newId()}`
const at = (id: string) => ({ path: { id } })
const subject = ({ token }: Things) => ({ headers: { 'x-subject-token': token } })

const member = ({ groupId, userId }: Things) => ({ path: { id: groupId, user_id: userId } })
const binding = ({ roleId }: Things, policyId: string) => ({
  path: { id: roleId, policy_id: policyId },
})

/** The four operations on the roles of one kind of holder in one kind of place. */
const held = (
  role: (things: Things) => string,
  where: (things: Things) => Readonly<Record<string, string>>,
  holder: (things: Things) => Readonly<Record<string, string>>,
  newHolder: (things: Things) => Readonly<Record<string, string>>,
) => {
  const path = (things: Things, whose: typeof holder) => ({
    path: { ...where(things), ...whose(things), role_id: role(things) },
  })
  return {
    list: list((things) => path(things, holder), role),
    grant: finish(news('assignments'), (things) => path(things, newHolder)),
    check: look((things) => path(things, holder)),
    revoke: finish(news('assignments'), (things) => path(things, holder)),
  }
}

const projectUser = held(
  (things) => things.projectRoleId,
  ({ projectId }) => ({ id: projectId }),
  ({ userId }) => ({ user_id: userId }),
  ({ newcomerId }) => ({ user_id: newcomerId }),
)
const projectGroup = held(
  (things) => things.projectRoleId,
  ({ projectId }) => ({ id: projectId }),
  ({ groupId }) => ({ group_id: groupId }),
  ({ idleGroupId }) => ({ group_id: idleGroupId }),
)
const domainUser = held(
  (things) => things.domainRoleId,
  ({ domainId }) => ({ id: domainId }),
  ({ residentId }) => ({ user_id: residentId }),
  ({ newcomerId }) => ({ user_id: newcomerId }),
)
const domainGroup = held(
  (things) => things.domainRoleId,
  ({ domainId }) => ({ id: domainId }),
  ({ residentGroupId }) => ({ group_id: residentGroupId }),
  ({ idleGroupId }) => ({ group_id: idleGroupId }),
)
const systemUser = held(
  (things) => things.systemRoleId,
  () => ({}),
  ({ stewardId }) => ({ user_id: stewardId }),
  ({ newcomerId }) => ({ user_id: newcomerId }),
)
const systemGroup = held(
  (things) => things.systemRoleId,
  () => ({}),
  ({ stewardGroupId }) => ({ group_id: stewardGroupId }),
  ({ idleGroupId }) => ({ group_id: idleGroupId }),
)

const rule = { service: 'compute', resource: 'servers', action: 'get', effect: 'allow' }

/** Where nobody answers: what is tried there changes nothing anywhere. */
const silentSource = { provider: 'OneCloud', address: 'qemu+unix:///system?socket=/nowhere' }

/** For every operation a request that would succeed for somebody who may. */
export const requests: Readonly<Record<OperationId, Request>> = {
  issueToken: {
    parts: ({ things, token }) => ({
      body: {
        auth: {
          identity: tokenIdentity(token ?? 'none'),
          scope: { project: { id: things.projectId } },
        },
      },
    }),
    changes: ['tokens', 'events'],
  },
  validateToken: look(subject),
  checkToken: look(subject),
  revokeToken: finish(news('tokens'), subject),
  listAuthProjects: look(),
  listAuthDomains: look(),
  showAuthCatalog: look(),
  listAuthPermissions: look(),
  showIdentityVersion: look(),
  discover: look(),

  listDomains: list(
    ({ domainName }) => ({ query: { name: domainName } }),
    ({ domainId }) => domainId,
  ),
  getDomain: look(({ domainId }) => at(domainId)),
  getDomainImpact: look(({ domainId }) => at(domainId)),
  createDomain: change(news('domains'), () => ({ body: { domain: { name: name() } } })),
  updateDomain: change(news('domains'), ({ domainId }) => ({
    ...at(domainId),
    body: { domain: { description: name() } },
  })),
  deleteDomain: finish(news('domains'), ({ domainId, spareDomainId }, isDone) =>
    at(isDone ? spareDomainId : domainId),
  ),

  listProjects: list(
    ({ projectName }) => ({ query: { name: projectName } }),
    ({ projectId }) => projectId,
  ),
  getProject: look(({ projectId }) => at(projectId)),
  getProjectImpact: look(({ projectId }) => at(projectId)),
  createProject: change(news('projects'), ({ domainId }) => ({
    body: { project: { name: name(), domain_id: domainId } },
  })),
  updateProject: change(news('projects'), ({ projectId }) => ({
    ...at(projectId),
    body: { project: { description: name() } },
  })),
  deleteProject: finish(news('projects'), ({ projectId, spareProjectId }, isDone) =>
    at(isDone ? spareProjectId : projectId),
  ),

  listUsers: list(
    ({ userName }) => ({ query: { name: userName } }),
    ({ userId }) => userId,
  ),
  getUser: look(({ userId }) => at(userId)),
  getUserImpact: look(({ userId }) => at(userId)),
  createUser: change(news('users'), ({ domainId }) => ({
    body: { user: { name: name(), domain_id: domainId } },
  })),
  updateUser: change(news('users'), ({ userId }) => ({
    ...at(userId),
    body: { user: { description: name() } },
  })),
  deleteUser: finish(
    news('users', 'assignments', 'group_members', 'access_keys', 'tokens', 'views'),
    ({ userId }) => at(userId),
  ),
  changeOwnPassword: finish(
    news('users', 'tokens', 'login_attempts', 'login_origins'),
    ({ userId }) => ({
      ...at(userId),
      body: { user: { original_password: ownPassword, password: 'unploughed headland' } },
    }),
  ),
  listUserProjects: list(
    ({ userId }) => at(userId),
    ({ projectId }) => projectId,
  ),
  listUserGroups: list(
    ({ userId }) => at(userId),
    ({ groupId }) => groupId,
  ),

  listGroups: list(
    ({ groupName }) => ({ query: { name: groupName } }),
    ({ groupId }) => groupId,
  ),
  getGroup: look(({ groupId }) => at(groupId)),
  createGroup: change(news('groups'), ({ domainId }) => ({
    body: { group: { name: name(), domain_id: domainId } },
  })),
  updateGroup: change(news('groups'), ({ groupId }) => ({
    ...at(groupId),
    body: { group: { description: name() } },
  })),
  deleteGroup: finish(news('groups', 'group_members', 'assignments'), ({ groupId }) => at(groupId)),
  listGroupUsers: list(
    ({ groupId }) => at(groupId),
    ({ userId }) => userId,
  ),
  addGroupUser: finish(news('group_members'), ({ groupId, newcomerId }) => ({
    path: { id: groupId, user_id: newcomerId },
  })),
  checkGroupUser: look(member),
  removeGroupUser: finish(news('group_members'), member),

  listRoles: list(
    ({ roleName }) => ({ query: { name: roleName } }),
    ({ roleId }) => roleId,
  ),
  getRole: look(({ roleId }) => at(roleId)),
  createRole: change(news('roles'), () => ({ body: { role: { name: name() } } })),
  updateRole: change(news('roles'), ({ roleId }) => ({
    ...at(roleId),
    body: { role: { description: name() } },
  })),
  deleteRole: finish(news('roles', 'role_policies'), ({ roleId }) => at(roleId)),
  listRolePolicies: list(
    ({ roleId }) => at(roleId),
    ({ policyId }) => policyId,
  ),
  bindPolicy: finish(news('role_policies'), (things) => binding(things, things.loosePolicyId)),
  checkPolicyBinding: look((things) => binding(things, things.policyId)),
  unbindPolicy: finish(news('role_policies'), (things) => binding(things, things.policyId)),

  listPolicies: list(
    ({ policyName }) => ({ query: { name: policyName } }),
    ({ policyId }) => policyId,
  ),
  getPolicy: look(({ policyId }) => at(policyId)),
  createPolicy: change(news('policies'), () => ({
    body: { policy: { name: name(), scope: 'project', rules: [rule] } },
  })),
  updatePolicy: change(news('policies'), ({ policyId }) => ({
    ...at(policyId),
    body: { policy: { rules: [{ ...rule, resource: `servers_${newId()}` }] } },
  })),
  deletePolicy: finish(news('policies', 'role_policies'), ({ policyId }) => at(policyId)),
  checkPolicy: look(({ userId, projectId }) => ({
    body: {
      check: {
        user_id: userId,
        project_id: projectId,
        service: 'compute',
        resource: 'servers',
        action: 'get',
      },
    },
  })),

  listRoleAssignments: list(
    ({ userId, projectId }) => ({ query: { 'user.id': userId, 'scope.project.id': projectId } }),
    ({ projectId }) => projectId,
  ),
  listProjectUserRoles: projectUser.list,
  grantProjectUserRole: projectUser.grant,
  checkProjectUserRole: projectUser.check,
  revokeProjectUserRole: projectUser.revoke,
  listProjectGroupRoles: projectGroup.list,
  grantProjectGroupRole: projectGroup.grant,
  checkProjectGroupRole: projectGroup.check,
  revokeProjectGroupRole: projectGroup.revoke,
  listDomainUserRoles: domainUser.list,
  grantDomainUserRole: domainUser.grant,
  checkDomainUserRole: domainUser.check,
  revokeDomainUserRole: domainUser.revoke,
  listDomainGroupRoles: domainGroup.list,
  grantDomainGroupRole: domainGroup.grant,
  checkDomainGroupRole: domainGroup.check,
  revokeDomainGroupRole: domainGroup.revoke,
  listSystemUserRoles: systemUser.list,
  grantSystemUserRole: systemUser.grant,
  checkSystemUserRole: systemUser.check,
  revokeSystemUserRole: systemUser.revoke,
  listSystemGroupRoles: systemGroup.list,
  grantSystemGroupRole: systemGroup.grant,
  checkSystemGroupRole: systemGroup.check,
  revokeSystemGroupRole: systemGroup.revoke,

  listCredentials: list(
    ({ keyName }) => ({ query: { name: keyName } }),
    ({ keyId }) => keyId,
  ),
  getCredential: look(({ keyId }) => at(keyId)),
  createCredential: change(news('access_keys'), ({ userId, projectId }) => ({
    body: { credential: { type: 'aksk', user_id: userId, project_id: projectId } },
  })),
  updateCredential: change(news('access_keys'), ({ keyId }) => ({
    ...at(keyId),
    body: { credential: { name: name() } },
  })),
  deleteCredential: finish(news('access_keys'), ({ keyId }) => at(keyId)),

  listIdentityProviders: list(
    ({ providerName }) => ({ query: { name: providerName } }),
    ({ providerId }) => providerId,
  ),
  getIdentityProvider: look(({ providerId }) => at(providerId)),
  createIdentityProvider: change(news('identity_providers'), ({ domainId }) => ({
    body: {
      identity_provider: {
        name: name(),
        driver: 'cas',
        url: 'https://cas.example.org/cas',
        service_url: 'https://muster.example.org/',
        domain_id: domainId,
      },
    },
  })),
  updateIdentityProvider: change(news('identity_providers'), ({ providerId }) => ({
    ...at(providerId),
    body: { identity_provider: { service_url: `https://muster.example.org/${newId()}` } },
  })),
  deleteIdentityProvider: finish(news('identity_providers'), ({ providerId }) => at(providerId)),

  listServices: look(),
  getService: look(({ serviceId }) => at(serviceId)),
  listEndpoints: look(),
  getEndpoint: look(({ endpointId }) => at(endpointId)),
  listRegions: look(),
  getRegion: look(({ regionId }) => at(regionId)),

  listEvents: list(
    ({ targetId }) => ({ query: { target_id: targetId } }),
    ({ targetId }) => targetId,
  ),

  // As far as everybody may see: who has a role on the system asks for it.
  listServers: list(
    ({ serverName }) => ({ query: { name: serverName, scope: 'max' } }),
    ({ serverId }) => serverId,
  ),
  getServerStatistics: look(),
  getServerTimeline: look(),
  getServer: look(({ serverId }) => at(serverId)),
  getServerMetadata: look(({ serverId }) => at(serverId)),
  mergeServerMetadata: change(tagged, ({ serverId }) => ({
    ...at(serverId),
    body: { metadata: { note: name() } },
  })),
  replaceServerMetadata: change(tagged, ({ serverId }) => ({
    ...at(serverId),
    body: { metadata: { note: name() } },
  })),

  getServerHistory: look(({ serverId }) => at(serverId)),
  syncServer: look(({ serverId }) => at(serverId)),

  listViews: list(
    ({ viewName }) => ({ query: { name: viewName } }),
    ({ viewId }) => viewId,
  ),
  getView: look(({ viewId }) => at(viewId)),
  createView: change(['views', 'events'], () => ({
    body: { view: { name: name(), sharing: 'project' } },
  })),
  updateView: change(['views', 'events'], ({ viewId }) => ({
    ...at(viewId),
    body: { view: { q: newId() } },
  })),
  deleteView: finish(['views', 'events'], ({ viewId }) => at(viewId)),

  listCloudAccounts: list(
    ({ accountName }) => ({ query: { name: accountName } }),
    ({ accountId }) => accountId,
  ),
  listCloudProviders: look(),
  getCloudAccount: look(({ accountId }) => at(accountId)),
  createCloudAccount: change(['cloudaccounts', 'events'], ({ projectId }) => ({
    body: { cloudaccount: { name: name(), ...silentSource, project_id: projectId } },
  })),
  testNewCloudAccount: change(['events'], () => ({ body: { cloudaccount: silentSource } })),
  updateCloudAccount: change(['cloudaccounts', 'events'], ({ accountId }) => ({
    ...at(accountId),
    body: { cloudaccount: { name: name() } },
  })),
  deleteCloudAccount: finish(['cloudaccounts', 'events'], ({ accountId }) => at(accountId)),
  syncCloudAccount: change(['events'], ({ accountId }) => at(accountId)),
  confirmGoneServers: change(['events'], ({ accountId }) => at(accountId)),
  testCloudAccount: change(['events'], ({ accountId }) => at(accountId)),
  previewCloudAccountMapping: look(({ accountId, projectId }) => ({
    ...at(accountId),
    body: { mapping: [{ name: 'web-*', project_id: projectId }] },
  })),

  showHealth: look(),
  showReadiness: look(),
  // A caller from this machine needs no token; one from elsewhere does.
  showMetrics: look(() => ({ headers: { 'x-forwarded-for': '192.0.2.1' } })),
  showOpenApi: look(),
  showReference: look(),
  showReferenceScript: look(),
}
