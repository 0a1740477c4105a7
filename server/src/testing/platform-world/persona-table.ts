import type { OperationId } from '@muster/contract'
import { factorRules } from './factor-rules.ts'
import { forEachInventoryKind } from './inventory-operations.ts'
import { rowsOfRule, type Row, type Rule, type Spot } from './persona-rows.ts'

const everyone = { allowed: 'everyone' } as const
const anyToken = { allowed: 'others' } as const
const anyScopedToken = { forbidden: 'unscoped', allowed: 'others' } as const
const systemReadersOnly = { allowed: 'auditor admins', forbidden: 'others' } as const
const adminsOnly = { allowed: 'admins', forbidden: 'others' } as const
const readInScope = {
  home: { forbidden: 'unscoped', notFound: 'stranger', allowed: 'others' },
  otherProject: { forbidden: 'unscoped', notFound: 'stranger members', allowed: 'others' },
  otherDomain: { allowed: 'stranger auditor admins', forbidden: 'unscoped', notFound: 'others' },
} as const
const listedInScope = {
  home: { notListed: 'stranger', forbidden: 'unscoped', allowed: 'others' },
  otherProject: { notListed: 'stranger members', forbidden: 'unscoped', allowed: 'others' },
  otherDomain: { allowed: 'stranger auditor admins', forbidden: 'unscoped', notListed: 'others' },
} as const
const readInScopeOrOwn = {
  home: { notFound: 'unscoped stranger', allowed: 'others' },
  otherProject: { allowed: 'domainViewer domainAdmin auditor admins', notFound: 'others' },
  otherDomain: { allowed: 'stranger auditor admins', notFound: 'others' },
  self: anyToken,
} as const
const listedInScopeOrOwn = {
  home: { notListed: 'unscoped stranger', allowed: 'others' },
  otherProject: { allowed: 'domainViewer domainAdmin auditor admins', notListed: 'others' },
  otherDomain: { allowed: 'stranger auditor admins', notListed: 'others' },
  self: anyToken,
} as const
const readInDomain = {
  home: { allowed: 'domainViewer domainAdmin auditor admins', forbidden: 'others' },
  otherDomain: {
    allowed: 'auditor admins',
    notFound: 'domainViewer domainAdmin',
    forbidden: 'others',
  },
} as const
const readInDomainOrOwn = {
  home: { allowed: 'domainViewer domainAdmin auditor admins', notFound: 'others' },
  otherDomain: { allowed: 'auditor admins', notFound: 'others' },
  self: anyToken,
} as const
const listedInDomainOrOwn = {
  home: { allowed: 'domainViewer domainAdmin auditor admins', notListed: 'others' },
  otherDomain: { allowed: 'auditor admins', notListed: 'others' },
  self: anyToken,
} as const
const readBySystemOrOwn = {
  home: { allowed: 'auditor admins', notFound: 'others' },
  otherDomain: { allowed: 'auditor admins', notFound: 'others' },
  self: anyToken,
} as const
const createdByDomainAdmin = {
  home: { allowed: 'domainAdmin admins', forbidden: 'others' },
  otherDomain: { allowed: 'admins', badRequest: 'domainAdmin', forbidden: 'others' },
} as const
const changedByDomainAdmin = {
  home: { allowed: 'domainAdmin admins', forbidden: 'others' },
  otherDomain: { allowed: 'admins', notFound: 'domainAdmin', forbidden: 'others' },
} as const
const changedByOwner = {
  home: { allowed: 'owner domainAdmin admins', notFound: 'stranger', forbidden: 'others' },
  otherProject: { allowed: 'domainAdmin admins', notFound: 'stranger owner', forbidden: 'others' },
  otherDomain: { allowed: 'stranger admins', notFound: 'owner domainAdmin', forbidden: 'others' },
} as const
const changedByEditor = {
  home: {
    forbidden: 'unscoped viewer domainViewer auditor',
    notFound: 'stranger',
    allowed: 'others',
  },
  otherProject: {
    allowed: 'domainAdmin admins',
    notFound: 'stranger editor owner',
    forbidden: 'others',
  },
  otherDomain: {
    allowed: 'stranger admins',
    notFound: 'editor owner domainAdmin',
    forbidden: 'others',
  },
} as const
const cancelledByEditor = {
  home: {
    forbidden: 'unscoped viewer domainViewer auditor',
    notFound: 'stranger',
    allowed: 'others',
  },
  otherProject: {
    allowed: 'domainAdmin admins',
    forbidden: 'unscoped domainViewer auditor',
    notFound: 'others',
  },
  otherDomain: { allowed: 'stranger admins', forbidden: 'unscoped auditor', notFound: 'others' },
} as const
const changedCredential = {
  home: { allowed: 'domainAdmin admin', forbidden: 'adminByKey', notFound: 'others' },
  otherDomain: { allowed: 'admin', forbidden: 'adminByKey', notFound: 'others' },
  self: { forbidden: 'adminByKey', allowed: 'others' },
} as const
// The servers here have no account that could be asked, so what is allowed ends in a conflict.
const conflictForEditors = {
  home: {
    forbidden: 'unscoped viewer domainViewer auditor',
    notFound: 'stranger',
    conflict: 'others',
  },
  otherProject: {
    conflict: 'domainAdmin admins',
    notFound: 'stranger editor owner',
    forbidden: 'others',
  },
  otherDomain: {
    conflict: 'stranger admins',
    notFound: 'editor owner domainAdmin',
    forbidden: 'others',
  },
} as const
const conflictForOwners = {
  home: { conflict: 'owner domainAdmin admins', notFound: 'stranger', forbidden: 'others' },
  otherProject: { conflict: 'domainAdmin admins', notFound: 'stranger owner', forbidden: 'others' },
  otherDomain: { conflict: 'stranger admins', notFound: 'owner domainAdmin', forbidden: 'others' },
} as const

/** Who may do what, written by hand: nothing here is derived from the code or the contract. */
export const personaTable = {
  issueToken: {
    home: { unauthenticated: 'stranger auditor admins', allowed: 'others' },
    otherProject: { allowed: 'viewer', unauthenticated: 'others' },
    otherDomain: { allowed: 'unscoped stranger', unauthenticated: 'others' },
    self: anyToken,
  },
  // Whoever has the secret.
  setFirstPassword: everyone,
  validateToken: readBySystemOrOwn,
  checkToken: readBySystemOrOwn,
  revokeToken: {
    home: { allowed: 'admins', notFound: 'others' },
    otherDomain: { allowed: 'admins', notFound: 'others' },
    self: anyToken,
  },
  listAuthProjects: anyToken,
  listAuthDomains: anyToken,
  showAuthCatalog: anyToken,
  listAuthPermissions: anyToken,
  getDeviceLogins: everyone,
  showIdentityVersion: everyone,
  discover: everyone,

  listDomains: { home: listedInScope.home, otherDomain: listedInScope.otherDomain },
  getDomain: { home: readInScope.home, otherDomain: readInScope.otherDomain },
  getDomainImpact: { any: systemReadersOnly },
  updateLocalPasswords: {
    home: { allowed: 'domainAdmin admin', forbidden: 'others' },
    otherDomain: { allowed: 'admin', notFound: 'domainAdmin', forbidden: 'others' },
  },
  updateLoginRules: {
    home: { allowed: 'domainAdmin admin', forbidden: 'others' },
    otherDomain: { allowed: 'admin', notFound: 'domainAdmin', forbidden: 'others' },
  },
  createDomain: adminsOnly,
  updateDomain: { any: adminsOnly },
  deleteDomain: { any: adminsOnly },

  listProjects: listedInScope,
  getProject: readInScope,
  getProjectSummaries: listedInScope,
  getProjectImpact: readInDomain,
  createProject: createdByDomainAdmin,
  updateProject: changedByDomainAdmin,
  deleteProject: changedByDomainAdmin,

  listUsers: listedInScopeOrOwn,
  getUser: readInScopeOrOwn,
  getUserImpact: readInDomain,
  createUser: createdByDomainAdmin,
  updateUser: changedByDomainAdmin,
  deleteUser: changedByDomainAdmin,
  createPasswordLink: changedByDomainAdmin,
  changeOwnPassword: {
    home: { notFound: 'others' },
    otherDomain: { notFound: 'others' },
    self: anyToken,
  },
  getLinkedLogins: readInDomainOrOwn,
  linkLogins: {
    home: { allowed: 'domainAdmin admins', forbidden: 'others' },
    otherDomain: { allowed: 'admins', conflict: 'domainAdmin', forbidden: 'others' },
  },
  unlinkLogin: {
    home: { allowed: 'domainAdmin admins', notFound: 'others' },
    otherDomain: { allowed: 'admins', notFound: 'others' },
    self: { forbidden: 'adminByKey', allowed: 'others' },
  },
  getFactors: readInDomainOrOwn,
  ...factorRules,
  listUserProjects: readInDomainOrOwn,
  listUserGroups: readInDomainOrOwn,

  listGroups: listedInScope,
  getGroup: readInScope,
  createGroup: createdByDomainAdmin,
  updateGroup: changedByDomainAdmin,
  deleteGroup: changedByDomainAdmin,
  listGroupUsers: readInDomain,
  addGroupUser: changedByDomainAdmin,
  checkGroupUser: readInDomain,
  removeGroupUser: changedByDomainAdmin,

  listRoles: anyScopedToken,
  getRole: anyScopedToken,
  createRole: adminsOnly,
  updateRole: adminsOnly,
  deleteRole: adminsOnly,
  listRolePolicies: anyScopedToken,
  bindPolicy: adminsOnly,
  checkPolicyBinding: anyScopedToken,
  unbindPolicy: adminsOnly,

  listPolicies: anyScopedToken,
  getPolicy: anyScopedToken,
  createPolicy: adminsOnly,
  updatePolicy: adminsOnly,
  deletePolicy: adminsOnly,
  checkPolicy: {
    home: { allowed: 'domainAdmin admins', badRequest: 'others' },
    otherDomain: { allowed: 'admins', badRequest: 'others' },
    self: anyToken,
  },

  listRoleAssignments: listedInScopeOrOwn,
  listProjectUserRoles: readInScope,
  grantProjectUserRole: changedByOwner,
  checkProjectUserRole: readInScope,
  revokeProjectUserRole: changedByOwner,
  listProjectGroupRoles: readInScope,
  grantProjectGroupRole: changedByOwner,
  checkProjectGroupRole: readInScope,
  revokeProjectGroupRole: changedByOwner,
  listDomainUserRoles: readInDomain,
  grantDomainUserRole: changedByDomainAdmin,
  checkDomainUserRole: readInDomain,
  revokeDomainUserRole: changedByDomainAdmin,
  listDomainGroupRoles: readInDomain,
  grantDomainGroupRole: changedByDomainAdmin,
  checkDomainGroupRole: readInDomain,
  revokeDomainGroupRole: changedByDomainAdmin,
  listSystemUserRoles: { any: systemReadersOnly },
  grantSystemUserRole: { any: adminsOnly },
  checkSystemUserRole: { any: systemReadersOnly },
  revokeSystemUserRole: { any: adminsOnly },
  listSystemGroupRoles: { any: systemReadersOnly },
  grantSystemGroupRole: { any: adminsOnly },
  checkSystemGroupRole: { any: systemReadersOnly },
  revokeSystemGroupRole: { any: adminsOnly },

  listCredentials: listedInDomainOrOwn,
  getCredential: readInDomainOrOwn,
  createCredential: {
    home: { allowed: 'domainAdmin admin', forbidden: 'adminByKey', badRequest: 'others' },
    otherDomain: { allowed: 'admin', forbidden: 'adminByKey', badRequest: 'others' },
    self: { forbidden: 'adminByKey', allowed: 'others' },
  },
  updateCredential: changedCredential,
  deleteCredential: changedCredential,

  listIdentityProviders: {
    home: { allowed: 'domainViewer domainAdmin auditor admins', forbidden: 'others' },
    otherDomain: {
      allowed: 'auditor admins',
      notListed: 'domainViewer domainAdmin',
      forbidden: 'others',
    },
  },
  getIdentityProvider: readInDomain,
  createIdentityProvider: { any: adminsOnly },
  updateIdentityProvider: { any: adminsOnly },
  deleteIdentityProvider: { any: adminsOnly },
  testNewIdentityProvider: adminsOnly,
  testIdentityProvider: { any: adminsOnly },
  previewIdentityProviderMapping: { any: adminsOnly },
  getIdentityProviderDrivers: {
    allowed: 'domainViewer domainAdmin auditor admins',
    forbidden: 'others',
  },

  listServices: anyScopedToken,
  getService: anyScopedToken,
  listEndpoints: anyScopedToken,
  getEndpoint: anyScopedToken,
  listRegions: anyScopedToken,
  getRegion: anyScopedToken,

  listEvents: listedInDomainOrOwn,
  getEventStatistics: anyToken,
  listEventDeliveries: systemReadersOnly,

  listServers: listedInScope,
  exportPrometheusTargets: listedInScope,
  exportAnsibleInventory: listedInScope,
  exportSshConfig: listedInScope,
  exportHostsFile: listedInScope,
  getServerStatistics: anyScopedToken,
  getServerChanges: listedInScope,
  getServerChangeStatistics: anyScopedToken,
  getServerDiff: listedInScope,
  getServerTimeline: anyScopedToken,
  redactServerHistory: adminsOnly,
  getServer: readInScope,
  getServerMetadata: readInScope,
  mergeServerMetadata: changedByEditor,
  replaceServerMetadata: changedByEditor,
  getServerHistory: readInScope,

  syncServer: conflictForEditors,
  startServer: conflictForEditors,
  stopServer: conflictForEditors,
  restartServer: conflictForEditors,
  resetServer: conflictForEditors,
  suspendServer: conflictForEditors,
  resumeServer: conflictForEditors,
  changeServerConfig: conflictForEditors,
  deleteServer: conflictForOwners,
  cancelServerDeletion: conflictForOwners,
  purgeServer: changedByOwner,
  updateServer: changedByEditor,
  getServerActions: readInScope,
  getRecycleBin: anyToken,

  getTask: readInScope,
  listServerTasks: readInScope,
  getBatch: readInScope,
  listTasks: listedInScope,
  listBatches: listedInScope,
  cancelTask: cancelledByEditor,
  cancelBatch: cancelledByEditor,
  // A server that the caller does not see is a refused item of the batch.
  createBatch: { any: { forbidden: 'unscoped viewer domainViewer auditor', allowed: 'others' } },

  // Operations for the client of Cloudpods.
  enableUser: changedByDomainAdmin,
  disableUser: changedByDomainAdmin,
  joinUserProjects: changedByOwner,
  leaveUserProjects: changedByOwner,
  addGroupUsers: changedByDomainAdmin,
  removeGroupUsers: changedByDomainAdmin,
  joinGroupProjects: changedByOwner,
  leaveGroupProjects: changedByOwner,
  listPolicyBindings: anyScopedToken,
  listIdentityEvents: listedInDomainOrOwn,
  listActions: listedInDomainOrOwn,
  getTagPairs: anyScopedToken,
  addUserMetadata: changedByEditor,
  setUserMetadata: changedByEditor,
  enableCloudAccount: adminsOnly,
  disableCloudAccount: adminsOnly,

  ...forEachInventoryKind(listedInScope, readInScope),

  // Shared by somebody else in the project, or the caller's own and private.
  listViews: {
    home: { allowed: 'members', notListed: 'others' },
    otherProject: { notListed: 'others' },
    otherDomain: { allowed: 'stranger', notListed: 'others' },
    self: anyToken,
  },
  getView: readInScopeOrOwn,
  // One to share in the token's project: a token for a domain has none.
  createView: {
    forbidden: 'unscoped viewer auditor',
    badRequest: 'domainViewer domainAdmin',
    allowed: 'others',
  },
  updateView: {
    home: { notFound: 'unscoped stranger', forbidden: 'others' },
    otherDomain: { forbidden: 'stranger auditor admins', notFound: 'others' },
    self: anyToken,
  },
  deleteView: {
    home: {
      forbidden: 'viewer domainViewer auditor',
      notFound: 'unscoped stranger',
      allowed: 'others',
    },
    otherProject: {
      allowed: 'domainAdmin admins',
      forbidden: 'domainViewer auditor',
      notFound: 'others',
    },
    otherDomain: { allowed: 'stranger admins', forbidden: 'auditor', notFound: 'others' },
    self: anyToken,
  },

  listChecks: listedInScope,
  getCheck: readInScope,
  listCheckViolations: readInScope,
  getOperatingSystems: anyToken,
  createCheck: { forbidden: 'unscoped viewer domainViewer auditor', allowed: 'others' },
  updateCheck: changedByEditor,
  deleteCheck: changedByOwner,

  listCloudAccounts: systemReadersOnly,
  listCloudProviders: systemReadersOnly,
  getCloudAccount: systemReadersOnly,
  getCloudAccountGaps: systemReadersOnly,
  getCloudAccountSyncs: systemReadersOnly,
  createCloudAccount: adminsOnly,
  testNewCloudAccount: adminsOnly,
  updateCloudAccount: adminsOnly,
  deleteCloudAccount: adminsOnly,
  syncCloudAccount: adminsOnly,
  // No server of the account is missing.
  confirmGoneServers: { conflict: 'admins', forbidden: 'others' },
  claimServers: adminsOnly,
  testCloudAccount: adminsOnly,
  previewCloudAccountMapping: systemReadersOnly,

  showHealth: everyone,
  showReadiness: everyone,
  // From elsewhere: a caller on this machine needs no token.
  showMetrics: systemReadersOnly,
  showOpenApi: everyone,
  showReference: everyone,
  showReferenceScript: everyone,
} as const satisfies Record<OperationId, Rule>

/** What the table says of an operation, row by row. */
export const rowsOf = (id: OperationId): [Spot, Row][] => rowsOfRule(personaTable[id])
