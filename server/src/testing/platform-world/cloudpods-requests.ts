import { tagged } from './action-requests.ts'
import type { Resources } from './persona-resources.ts'
import { at, audited, change, finish, list, name, read } from './request-kinds.ts'

const projectRole = ({
  projectId,
  projectRoleId,
}: Pick<Resources, 'projectId' | 'projectRoleId'>) => ({
  project: projectId,
  role: projectRoleId,
})

/** Requests of the operations that exist for Cloudpods' client. */
export const cloudpodsRequests = {
  // The user is enabled already, so nothing changes.
  enableUser: read(({ userId }) => at(userId)),
  disableUser: finish(audited('users', 'tokens'), ({ userId }) => at(userId)),
  joinUserProjects: finish(audited('assignments'), ({ newcomerId, ...rest }) => ({
    ...at(newcomerId),
    body: { user: { projects: [rest.projectId], roles: [rest.projectRoleId] } },
  })),
  leaveUserProjects: finish(audited('assignments'), ({ userId, ...rest }) => ({
    ...at(userId),
    body: { user: { project_roles: [projectRole(rest)] } },
  })),
  addGroupUsers: finish(audited('group_members'), ({ groupId, newcomerId }) => ({
    ...at(groupId),
    body: { group: { user: [newcomerId] } },
  })),
  removeGroupUsers: finish(audited('group_members'), ({ groupId, userId }) => ({
    ...at(groupId),
    body: { group: { user: [userId] } },
  })),
  joinGroupProjects: finish(audited('assignments'), ({ idleGroupId, ...rest }) => ({
    ...at(idleGroupId),
    body: { group: { projects: [rest.projectId], roles: [rest.projectRoleId] } },
  })),
  leaveGroupProjects: finish(audited('assignments'), ({ groupId, ...rest }) => ({
    ...at(groupId),
    body: { group: { project_roles: [projectRole(rest)] } },
  })),
  listPolicyBindings: list(
    ({ roleId }) => ({ query: { role_id: roleId } }),
    ({ policyId }) => policyId,
  ),
  listIdentityEvents: list(
    ({ targetId }) => ({ query: { 'obj_id.0': targetId } }),
    ({ targetId }) => targetId,
  ),
  listActions: list(
    ({ targetId }) => ({ query: { obj_id: targetId } }),
    ({ targetId }) => targetId,
  ),
  getTagPairs: read(),
  addUserMetadata: change(tagged, ({ serverId }) => ({
    ...at(serverId),
    body: { server: { note: name() } },
  })),
  setUserMetadata: change(tagged, ({ serverId }) => ({
    ...at(serverId),
    body: { server: { note: name() } },
  })),
  // The account is enabled already.
  enableCloudAccount: read(({ accountId }) => at(accountId)),
  disableCloudAccount: finish(['cloudaccounts', 'events'], ({ accountId }) => at(accountId)),
}
