/** Who may use the operations that exist for Cloudpods' client; see `persona-table.ts`. */
export const cloudpodsRows = {
  enableUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  disableUser: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  joinUserProjects: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  leaveUserProjects: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  addGroupUsers: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  removeGroupUsers: { home: '!!! -- --- -+ -++', other: '!!! -- --- -0 -++' },
  joinGroupProjects: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  leaveGroupProjects: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  listPolicyBindings: '!!! -+ +++ ++ +++',
  listIdentityEvents: {
    home: '!!! oo ooo ++ +++',
    other: '!!! oo ooo oo +++',
    self: '!!! ++ +++ ++ +++',
  },
  listActions: {
    home: '!!! oo ooo ++ +++',
    other: '!!! oo ooo oo +++',
    self: '!!! ++ +++ ++ +++',
  },
  getTagPairs: '!!! -+ +++ ++ +++',
  addUserMetadata: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 -00 -+ -++',
    other: '!!! -+ -00 -0 -++',
  },
  setUserMetadata: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 -00 -+ -++',
    other: '!!! -+ -00 -0 -++',
  },
  enableCloudAccount: '!!! -- --- -- -++',
  disableCloudAccount: '!!! -- --- -- -++',
} as const
