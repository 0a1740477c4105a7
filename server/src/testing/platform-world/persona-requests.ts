import type { OperationId } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { tokenIdentity } from '../client.ts'
import { accountRequests } from './account-requests.ts'
import { actionRequests, tagged } from './action-requests.ts'
import { checkRequests } from './check-requests.ts'
import { cloudpodsRequests } from './cloudpods-requests.ts'
import { factorRequests } from './factor-requests.ts'
import type { Resources } from './persona-resources.ts'
import { providerRequests } from './provider-requests.ts'
import {
  at,
  audited,
  change,
  finish,
  list,
  name,
  read,
  type Request,
  type TextOf,
} from './request-kinds.ts'
import { forEachInventoryKind } from './inventory-operations.ts'

/** The password behind the hash that every user of the organisation has. */
export const ownPassword = 'tussocky moorland'

type PathOf = (resources: Resources) => Readonly<Record<string, string>>

/** The resources of a server have the id of the server. */
const listItem = list(
  ({ serverId }) => ({ query: { id: serverId } }),
  ({ serverId }) => serverId,
)
/** The largest scope of the caller: system roles request the system. */
const listServer = list(
  ({ serverName }) => ({ query: { name: serverName, scope: 'max' } }),
  ({ serverId }) => serverId,
)
const getItem = read(({ serverId }) => ({ path: { id: serverId } }))

const subject = ({ token }: Resources) => ({ headers: { 'x-subject-token': token } })

const member = ({ groupId, userId }: Resources) => ({ path: { id: groupId, user_id: userId } })
const binding = ({ roleId }: Resources, policyId: string) => ({
  path: { id: roleId, policy_id: policyId },
})

/** The four operations on the roles of one kind of holder in one kind of place. */
const roleRequests = (role: TextOf, where: PathOf, holder: PathOf, newHolder: PathOf) => {
  const path = (resources: Resources, whose: PathOf) => ({
    path: { ...where(resources), ...whose(resources), role_id: role(resources) },
  })
  return {
    list: list((resources) => path(resources, holder), role),
    grant: finish(audited('assignments'), (resources) => path(resources, newHolder)),
    check: read((resources) => path(resources, holder)),
    revoke: finish(audited('assignments'), (resources) => path(resources, holder)),
  }
}

const projectUser = roleRequests(
  (resources) => resources.projectRoleId,
  ({ projectId }) => ({ id: projectId }),
  ({ userId }) => ({ user_id: userId }),
  ({ newcomerId }) => ({ user_id: newcomerId }),
)
const projectGroup = roleRequests(
  (resources) => resources.projectRoleId,
  ({ projectId }) => ({ id: projectId }),
  ({ groupId }) => ({ group_id: groupId }),
  ({ idleGroupId }) => ({ group_id: idleGroupId }),
)
const domainUser = roleRequests(
  (resources) => resources.domainRoleId,
  ({ domainId }) => ({ id: domainId }),
  ({ residentId }) => ({ user_id: residentId }),
  ({ newcomerId }) => ({ user_id: newcomerId }),
)
const domainGroup = roleRequests(
  (resources) => resources.domainRoleId,
  ({ domainId }) => ({ id: domainId }),
  ({ residentGroupId }) => ({ group_id: residentGroupId }),
  ({ idleGroupId }) => ({ group_id: idleGroupId }),
)
const systemUser = roleRequests(
  (resources) => resources.systemRoleId,
  () => ({}),
  ({ stewardId }) => ({ user_id: stewardId }),
  ({ newcomerId }) => ({ user_id: newcomerId }),
)
const systemGroup = roleRequests(
  (resources) => resources.systemRoleId,
  () => ({}),
  ({ stewardGroupId }) => ({ group_id: stewardGroupId }),
  ({ idleGroupId }) => ({ group_id: idleGroupId }),
)

const rule = { service: 'compute', resource: 'servers', action: 'get', effect: 'allow' }

/** For every operation, a request that succeeds for a caller with permission. */
export const requests: Readonly<Record<OperationId, Request>> = {
  issueToken: {
    parts: ({ resources, token }) => ({
      body: {
        auth: {
          identity: tokenIdentity(token ?? 'none'),
          scope: { project: { id: resources.projectId } },
        },
      },
    }),
    changes: ['tokens', 'events'],
  },
  setFirstPassword: finish(audited('users', 'password_links'), ({ linkSecret }) => ({
    body: { secret: linkSecret, password: 'unploughed headland' },
  })),
  validateToken: read(subject),
  checkToken: read(subject),
  revokeToken: finish(audited('tokens'), subject),
  listAuthProjects: read(),
  listAuthDomains: read(),
  showAuthCatalog: read(),
  listAuthPermissions: read(),
  getDeviceLogins: read(),
  showIdentityVersion: read(),
  discover: read(),

  listDomains: list(
    ({ domainName }) => ({ query: { name: domainName } }),
    ({ domainId }) => domainId,
  ),
  getDomain: read(({ domainId }) => at(domainId)),
  getDomainImpact: read(({ domainId }) => at(domainId)),
  updateLocalPasswords: read(({ domainId }) => ({
    ...at(domainId),
    body: { local_passwords: { value: 'on', dry_run: true } },
  })),
  updateLoginRules: read(({ domainId }) => ({
    ...at(domainId),
    body: { login_rules: { session_idle: 3_600, dry_run: true } },
  })),
  createDomain: change(audited('domains'), () => ({ body: { domain: { name: name() } } })),
  updateDomain: change(audited('domains'), ({ domainId }) => ({
    ...at(domainId),
    body: { domain: { description: name() } },
  })),
  deleteDomain: finish(audited('domains'), ({ domainId, spareDomainId }, isDone) =>
    at(isDone ? spareDomainId : domainId),
  ),

  listProjects: list(
    ({ projectName }) => ({ query: { name: projectName } }),
    ({ projectId }) => projectId,
  ),
  getProject: read(({ projectId }) => at(projectId)),
  getProjectImpact: read(({ projectId }) => at(projectId)),
  createProject: change(audited('projects'), ({ domainId }) => ({
    body: { project: { name: name(), domain_id: domainId } },
  })),
  updateProject: change(audited('projects'), ({ projectId }) => ({
    ...at(projectId),
    body: { project: { description: name() } },
  })),
  deleteProject: finish(audited('projects'), ({ projectId, spareProjectId }, isDone) =>
    at(isDone ? spareProjectId : projectId),
  ),

  listUsers: list(
    ({ userName }) => ({ query: { name: userName } }),
    ({ userId }) => userId,
  ),
  getUser: read(({ userId }) => at(userId)),
  getUserImpact: read(({ userId }) => at(userId)),
  createUser: change(audited('users'), ({ domainId }) => ({
    body: { user: { name: name(), domain_id: domainId } },
  })),
  updateUser: change(audited('users'), ({ userId }) => ({
    ...at(userId),
    body: { user: { description: name() } },
  })),
  deleteUser: finish(
    audited(
      'users',
      'assignments',
      'group_members',
      'access_keys',
      'factors',
      'tokens',
      'views',
      'subjects',
    ),
    ({ userId }) => at(userId),
  ),
  getProjectSummaries: list(
    ({ projectId }) => ({ query: { project_id: projectId } }),
    ({ projectId }) => projectId,
  ),
  createPasswordLink: change(audited('password_links'), ({ newcomerId }) => at(newcomerId)),
  changeOwnPassword: finish(
    audited('users', 'tokens', 'login_attempts', 'login_origins'),
    ({ userId }) => ({
      ...at(userId),
      body: { user: { original_password: ownPassword, password: 'unploughed headland' } },
    }),
  ),
  getLinkedLogins: read(({ userId }) => at(userId)),
  linkLogins: finish(audited('subjects'), ({ newcomerId, providerId }) => ({
    body: {
      linked_logins: [{ user_id: newcomerId, provider_id: providerId, subject: newcomerId }],
    },
  })),
  unlinkLogin: finish(audited('subjects'), ({ userId, providerId }) => ({
    path: { id: userId, provider_id: providerId },
  })),
  getFactors: read(({ userId }) => at(userId)),
  ...factorRequests,
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
  getGroup: read(({ groupId }) => at(groupId)),
  createGroup: change(audited('groups'), ({ domainId }) => ({
    body: { group: { name: name(), domain_id: domainId } },
  })),
  updateGroup: change(audited('groups'), ({ groupId }) => ({
    ...at(groupId),
    body: { group: { description: name() } },
  })),
  deleteGroup: finish(audited('groups', 'group_members', 'assignments'), ({ groupId }) =>
    at(groupId),
  ),
  listGroupUsers: list(
    ({ groupId }) => at(groupId),
    ({ userId }) => userId,
  ),
  addGroupUser: finish(audited('group_members'), ({ groupId, newcomerId }) => ({
    path: { id: groupId, user_id: newcomerId },
  })),
  checkGroupUser: read(member),
  removeGroupUser: finish(audited('group_members'), member),

  listRoles: list(
    ({ roleName }) => ({ query: { name: roleName } }),
    ({ roleId }) => roleId,
  ),
  getRole: read(({ roleId }) => at(roleId)),
  createRole: change(audited('roles'), () => ({ body: { role: { name: name() } } })),
  updateRole: change(audited('roles'), ({ roleId }) => ({
    ...at(roleId),
    body: { role: { description: name() } },
  })),
  deleteRole: finish(audited('roles', 'role_policies'), ({ roleId }) => at(roleId)),
  listRolePolicies: list(
    ({ roleId }) => at(roleId),
    ({ policyId }) => policyId,
  ),
  bindPolicy: finish(audited('role_policies'), (resources) =>
    binding(resources, resources.loosePolicyId),
  ),
  checkPolicyBinding: read((resources) => binding(resources, resources.policyId)),
  unbindPolicy: finish(audited('role_policies'), (resources) =>
    binding(resources, resources.policyId),
  ),

  listPolicies: list(
    ({ policyName }) => ({ query: { name: policyName } }),
    ({ policyId }) => policyId,
  ),
  getPolicy: read(({ policyId }) => at(policyId)),
  createPolicy: change(audited('policies'), () => ({
    body: { policy: { name: name(), scope: 'project', rules: [rule] } },
  })),
  updatePolicy: change(audited('policies'), ({ policyId }) => ({
    ...at(policyId),
    body: { policy: { rules: [{ ...rule, resource: `servers_${newId()}` }] } },
  })),
  deletePolicy: finish(audited('policies', 'role_policies'), ({ policyId }) => at(policyId)),
  checkPolicy: read(({ userId, projectId }) => ({
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
  getCredential: read(({ keyId }) => at(keyId)),
  createCredential: change(audited('access_keys'), ({ userId, projectId }) => ({
    body: { credential: { type: 'aksk', user_id: userId, project_id: projectId } },
  })),
  updateCredential: change(audited('access_keys'), ({ keyId }) => ({
    ...at(keyId),
    body: { credential: { name: name() } },
  })),
  deleteCredential: finish(audited('access_keys'), ({ keyId }) => at(keyId)),

  listServices: read(),
  getService: read(({ serviceId }) => at(serviceId)),
  listEndpoints: read(),
  getEndpoint: read(({ endpointId }) => at(endpointId)),
  listRegions: read(),
  getRegion: read(({ regionId }) => at(regionId)),

  listEvents: list(
    ({ targetId }) => ({ query: { target_id: targetId } }),
    ({ targetId }) => targetId,
  ),
  getEventStatistics: read(),
  listEventDeliveries: read(),

  listServers: listServer,
  exportPrometheusTargets: listServer,
  exportAnsibleInventory: listServer,
  exportSshConfig: listServer,
  exportHostsFile: listServer,
  getServerStatistics: read(),
  getServerChanges: listServer,
  redactServerHistory: change(['events'], ({ serverId }) => ({
    ...at(serverId),
    body: { redaction: { field: 'user:secret', value: 'not stored' } },
  })),
  getServerChangeStatistics: read(),
  getServerDiff: list(
    ({ serverName, changedSince }) => ({
      query: { name: serverName, scope: 'max', from: changedSince },
    }),
    ({ serverId }) => serverId,
  ),
  getServerTimeline: read(),
  getServer: read(({ serverId }) => at(serverId)),
  getServerMetadata: read(({ serverId }) => at(serverId)),
  mergeServerMetadata: change(tagged, ({ serverId }) => ({
    ...at(serverId),
    body: { metadata: { note: name() } },
  })),
  replaceServerMetadata: change(tagged, ({ serverId }) => ({
    ...at(serverId),
    body: { metadata: { note: name() } },
  })),

  getServerHistory: read(({ serverId }) => at(serverId)),
  syncServer: read(({ serverId }) => at(serverId)),
  ...actionRequests,
  ...cloudpodsRequests,

  ...forEachInventoryKind(listItem, getItem),

  listViews: list(
    ({ viewName }) => ({ query: { name: viewName } }),
    ({ viewId }) => viewId,
  ),
  getView: read(({ viewId }) => at(viewId)),
  createView: change(['views', 'events'], () => ({
    body: { view: { name: name(), sharing: 'project' } },
  })),
  updateView: change(['views', 'events'], ({ viewId }) => ({
    ...at(viewId),
    body: { view: { q: newId() } },
  })),
  deleteView: finish(['views', 'events'], ({ viewId }) => at(viewId)),

  ...checkRequests,
  ...providerRequests,

  ...accountRequests,

  showHealth: read(),
  showReadiness: read(),
  // A caller from this machine needs no token; one from elsewhere does.
  showMetrics: read(() => ({ headers: { 'x-forwarded-for': '192.0.2.1' } })),
  showOpenApi: read(),
  showReference: read(),
  showReferenceScript: read(),
}
