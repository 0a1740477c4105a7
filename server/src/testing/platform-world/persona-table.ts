import type { OperationId } from '@muster/contract'
import { actionRows } from './action-rows.ts'
import { cloudpodsRows } from './cloudpods-rows.ts'
import { personaNames, type PersonaName, type Side } from './start-platform-world.ts'
import { forEachInventoryKind } from './inventory-operations.ts'

/**
 * Who may do what, written down by hand: nothing here is
 * worked out from the code or from what the operations say they need.
 *
 * A row has a mark for each persona, in the order of `personaNames`:
 *
 *     no token, expired, revoked | unscoped, of another project and domain |
 *     viewer, editor, owner of the project | viewer, admin of the domain |
 *     auditor, admin of the system, the latter with a token got by an access key
 *
 *     +  allowed: a list holds the thing, a change is made
 *     o  allowed, and the list does not hold the thing
 *     !  401: who are you?
 *     -  403: not you
 *     0  404: the thing does not exist for you
 *     b  400: what the body refers to does not exist for you
 *     c  409: allowed, and not possible as resources are
 *
 * and a row for each place that the thing can be in: `home` is the project and the domain of those
 * in the middle, `beside` another project of that domain, `other` another domain; `self` is the
 * caller's own. `any` is for a thing at home and for one in another domain alike; and where a thing
 * belongs to no domain, or there is none, the row stands alone.
 */
type Rows =
  | string
  | { readonly any: string }
  | {
      readonly home: string
      readonly beside?: string
      readonly other: string
      readonly self?: string
    }

/** A list of servers, in whatever format. */
const listedServers = {
  home: '!!! -o +++ ++ +++',
  beside: '!!! -o ooo ++ +++',
  other: '!!! -+ ooo oo +++',
} as const

export const personaTable = {
  issueToken: {
    home: '!!! +! +++ ++ !!!',
    beside: '!!! !! +!! !! !!!',
    other: '!!! ++ !!! !! !!!',
    self: '!!! ++ +++ ++ +++',
  },
  validateToken: {
    home: '!!! 00 000 00 +++',
    other: '!!! 00 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },
  checkToken: {
    home: '!!! 00 000 00 +++',
    other: '!!! 00 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },
  revokeToken: {
    home: '!!! 00 000 00 0++',
    other: '!!! 00 000 00 0++',
    self: '!!! ++ +++ ++ +++',
  },
  listAuthProjects: '!!! ++ +++ ++ +++',
  listAuthDomains: '!!! ++ +++ ++ +++',
  showAuthCatalog: '!!! ++ +++ ++ +++',
  listAuthPermissions: '!!! ++ +++ ++ +++',
  showIdentityVersion: '+++ ++ +++ ++ +++',
  discover: '+++ ++ +++ ++ +++',

  listDomains: { home: '!!! -o +++ ++ +++', other: '!!! -+ ooo oo +++' },
  getDomain: { home: '!!! -0 +++ ++ +++', other: '!!! -+ 000 00 +++' },
  getDomainImpact: { any: '!!! -- --- -- +++' },
  createDomain: '!!! -- --- -- -++',
  updateDomain: { any: '!!! -- --- -- -++' },
  deleteDomain: { any: '!!! -- --- -- -++' },

  listProjects: {
    home: '!!! -o +++ ++ +++',
    beside: '!!! -o ooo ++ +++',
    other: '!!! -+ ooo oo +++',
  },
  getProject: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  getProjectImpact: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  createProject: { home: '!!! -- --- -+ -++', other: '!!! -- --- -b -++' },
  updateProject: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  deleteProject: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },

  listUsers: {
    home: '!!! oo +++ ++ +++',
    beside: '!!! oo ooo ++ +++',
    other: '!!! o+ ooo oo +++',
    self: '!!! ++ +++ ++ +++',
  },
  getUser: {
    home: '!!! 00 +++ ++ +++',
    beside: '!!! 00 000 ++ +++',
    other: '!!! 0+ 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },
  getUserImpact: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  createUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -b -++' },
  updateUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  deleteUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  changeOwnPassword: {
    home: '!!! 00 000 00 000',
    other: '!!! 00 000 00 000',
    self: '!!! ++ +++ ++ +++',
  },
  listUserProjects: {
    home: '!!! 00 000 ++ +++',
    other: '!!! 00 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },
  listUserGroups: {
    home: '!!! 00 000 ++ +++',
    other: '!!! 00 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },

  listGroups: {
    home: '!!! -o +++ ++ +++',
    beside: '!!! -o ooo ++ +++',
    other: '!!! -+ ooo oo +++',
  },
  getGroup: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  createGroup: { home: '!!! -- --- -+ -++', other: '!!! -- --- -b -++' },
  updateGroup: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  deleteGroup: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  listGroupUsers: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  addGroupUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  checkGroupUser: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  removeGroupUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },

  listRoles: '!!! -+ +++ ++ +++',
  getRole: '!!! -+ +++ ++ +++',
  createRole: '!!! -- --- -- -++',
  updateRole: '!!! -- --- -- -++',
  deleteRole: '!!! -- --- -- -++',
  listRolePolicies: '!!! -+ +++ ++ +++',
  bindPolicy: '!!! -- --- -- -++',
  checkPolicyBinding: '!!! -+ +++ ++ +++',
  unbindPolicy: '!!! -- --- -- -++',

  listPolicies: '!!! -+ +++ ++ +++',
  getPolicy: '!!! -+ +++ ++ +++',
  createPolicy: '!!! -- --- -- -++',
  updatePolicy: '!!! -- --- -- -++',
  deletePolicy: '!!! -- --- -- -++',
  checkPolicy: {
    home: '!!! bb bbb b+ b++',
    other: '!!! bb bbb bb b++',
    self: '!!! ++ +++ ++ +++',
  },

  listRoleAssignments: {
    home: '!!! oo +++ ++ +++',
    beside: '!!! oo ooo ++ +++',
    other: '!!! o+ ooo oo +++',
    self: '!!! ++ +++ ++ +++',
  },
  listProjectUserRoles: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  grantProjectUserRole: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  checkProjectUserRole: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  revokeProjectUserRole: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  listProjectGroupRoles: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  grantProjectGroupRole: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  checkProjectGroupRole: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  revokeProjectGroupRole: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  listDomainUserRoles: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  grantDomainUserRole: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  checkDomainUserRole: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  revokeDomainUserRole: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  listDomainGroupRoles: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  grantDomainGroupRole: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  checkDomainGroupRole: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  revokeDomainGroupRole: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  listSystemUserRoles: { any: '!!! -- --- -- +++' },
  grantSystemUserRole: { any: '!!! -- --- -- -++' },
  checkSystemUserRole: { any: '!!! -- --- -- +++' },
  revokeSystemUserRole: { any: '!!! -- --- -- -++' },
  listSystemGroupRoles: { any: '!!! -- --- -- +++' },
  grantSystemGroupRole: { any: '!!! -- --- -- -++' },
  checkSystemGroupRole: { any: '!!! -- --- -- +++' },
  revokeSystemGroupRole: { any: '!!! -- --- -- -++' },

  listCredentials: {
    home: '!!! oo ooo ++ +++',
    other: '!!! oo ooo oo +++',
    self: '!!! ++ +++ ++ +++',
  },
  getCredential: {
    home: '!!! 00 000 ++ +++',
    other: '!!! 00 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },
  createCredential: {
    home: '!!! bb bbb b+ b+-',
    other: '!!! bb bbb bb b+-',
    self: '!!! ++ +++ ++ ++-',
  },
  updateCredential: {
    home: '!!! 00 000 0+ 0+-',
    other: '!!! 00 000 00 0+-',
    self: '!!! ++ +++ ++ ++-',
  },
  deleteCredential: {
    home: '!!! 00 000 0+ 0+-',
    other: '!!! 00 000 00 0+-',
    self: '!!! ++ +++ ++ ++-',
  },

  listIdentityProviders: { home: '!!! -- --- ++ +++', other: '!!! -- --- oo +++' },
  getIdentityProvider: { home: '!!! -- --- ++ +++', other: '!!! -- --- 00 +++' },
  createIdentityProvider: { any: '!!! -- --- -- -++' },
  updateIdentityProvider: { any: '!!! -- --- -- -++' },
  deleteIdentityProvider: { any: '!!! -- --- -- -++' },

  listServices: '!!! -+ +++ ++ +++',
  getService: '!!! -+ +++ ++ +++',
  listEndpoints: '!!! -+ +++ ++ +++',
  getEndpoint: '!!! -+ +++ ++ +++',
  listRegions: '!!! -+ +++ ++ +++',
  getRegion: '!!! -+ +++ ++ +++',

  listEvents: {
    home: '!!! oo ooo ++ +++',
    other: '!!! oo ooo oo +++',
    self: '!!! ++ +++ ++ +++',
  },
  listEventDeliveries: '!!! -- --- -- +++',

  listServers: listedServers,
  exportPrometheusTargets: listedServers,
  exportAnsibleInventory: listedServers,
  exportSshConfig: listedServers,
  exportHostsFile: listedServers,
  getServerStatistics: '!!! -+ +++ ++ +++',
  getServerTimeline: '!!! -+ +++ ++ +++',
  getServer: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  getServerMetadata: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  mergeServerMetadata: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 -00 -+ -++',
    other: '!!! -+ -00 -0 -++',
  },
  replaceServerMetadata: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 -00 -+ -++',
    other: '!!! -+ -00 -0 -++',
  },

  getServerHistory: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  // The servers here have no account that could be asked.
  syncServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },

  ...actionRows,
  ...cloudpodsRows,

  ...forEachInventoryKind(
    {
      home: '!!! -o +++ ++ +++',
      beside: '!!! -o ooo ++ +++',
      other: '!!! -+ ooo oo +++',
    },
    {
      home: '!!! -0 +++ ++ +++',
      beside: '!!! -0 000 ++ +++',
      other: '!!! -+ 000 00 +++',
    },
  ),

  // Shared by somebody else in the project, or the caller's own and private.
  listViews: {
    home: '!!! oo +++ oo ooo',
    beside: '!!! oo ooo oo ooo',
    other: '!!! o+ ooo oo ooo',
    self: '!!! ++ +++ ++ +++',
  },
  getView: {
    home: '!!! 00 +++ ++ +++',
    beside: '!!! 00 000 ++ +++',
    other: '!!! 0+ 000 00 +++',
    self: '!!! ++ +++ ++ +++',
  },
  // One to share in the token's project: a token for a domain has none.
  createView: '!!! -+ -++ bb -++',
  updateView: {
    home: '!!! 00 --- -- ---',
    other: '!!! 0- 000 00 ---',
    self: '!!! ++ +++ ++ +++',
  },
  deleteView: {
    home: '!!! 00 -++ -+ -++',
    beside: '!!! 00 000 -+ -++',
    other: '!!! 0+ 000 00 -++',
    self: '!!! ++ +++ ++ +++',
  },

  listCloudAccounts: '!!! -- --- -- +++',
  listCloudProviders: '!!! -- --- -- +++',
  getCloudAccount: '!!! -- --- -- +++',
  createCloudAccount: '!!! -- --- -- -++',
  testNewCloudAccount: '!!! -- --- -- -++',
  updateCloudAccount: '!!! -- --- -- -++',
  deleteCloudAccount: '!!! -- --- -- -++',
  syncCloudAccount: '!!! -- --- -- -++',
  // No server of the account is missing.
  confirmGoneServers: '!!! -- --- -- -cc',
  claimServers: '!!! -- --- -- -++',
  testCloudAccount: '!!! -- --- -- -++',
  previewCloudAccountMapping: '!!! -- --- -- +++',

  showHealth: '+++ ++ +++ ++ +++',
  showReadiness: '+++ ++ +++ ++ +++',
  // From elsewhere: a caller on this machine needs no token.
  showMetrics: '!!! -- --- -- +++',
  showOpenApi: '+++ ++ +++ ++ +++',
  showReference: '+++ ++ +++ ++ +++',
  showReferenceScript: '+++ ++ +++ ++ +++',
} as const satisfies Record<OperationId, Rows>

type Mark = '+' | 'o' | '!' | '-' | '0' | 'b' | 'c'
export type Spot = Side | 'self'
export type Row = Readonly<Record<PersonaName, Mark>>

/** A row by the names of the personas. */
function readRow(text: string): Row {
  const marks = [...text.replaceAll(' ', '')]
  if (marks.length !== personaNames.length || marks.some((mark) => !'+o!-0bc'.includes(mark))) {
    throw new Error(`"${text}" is not a row of the persona table`)
  }
  return Object.fromEntries(
    personaNames.map((name, index) => [name, marks[index]]),
  ) as unknown as Row
}

/** What the table says of an operation, row by row. */
export function rowsOf(id: OperationId): [Spot, Row][] {
  const rows: Rows = personaTable[id]
  if (typeof rows === 'string') return [['home', readRow(rows)]]
  const byPlace = 'any' in rows ? { home: rows.any, other: rows.any } : rows
  return Object.entries<string>(byPlace).map(([spot, row]) => [spot as Spot, readRow(row)])
}
