interface Words {
  readonly word?: string
  readonly aliases?: readonly string[]
  readonly columns?: readonly string[]
}

/** Words and columns that do not follow from the description of the resource, by the path of its list. */
export const nounWords: Readonly<Record<string, Words>> = {
  '/cloudaccounts': {
    word: 'account',
    aliases: ['cloud-account'],
    columns: ['name', 'provider', 'status', 'servers', 'enabled', 'access'],
  },
  '/cloudaccounts/providers': {
    word: 'provider',
    columns: ['provider', 'title', 'period', 'events'],
  },
  '/cloudregions': { word: 'region', aliases: ['cloud-region'] },
  '/cloudproviders': { word: 'manager', aliases: ['cloud-provider'] },
  '/v3/credentials': {
    word: 'key',
    aliases: ['access-key'],
    columns: ['id', 'name', 'user_id', 'project_id', 'enabled', 'expires_at', 'last_used_at'],
  },
  '/v3/regions': { word: 'catalog-region' },
  '/v3/identity_providers': { aliases: ['idp'] },
  '/v3/rolepolicies': { word: 'policy-binding', aliases: ['role-policy'] },
  '/v3/roles': { columns: ['id', 'name', 'description'] },
  '/v3/role_assignments': { columns: ['role', 'user', 'group', 'scope'] },
  '/events': { columns: ['time', 'action', 'target_type', 'target_name', 'user', 'result'] },
  '/servers/changes': {
    word: 'change',
    columns: ['time', 'server_name', 'kinds', 'account', 'changes'],
  },
  '/tasks': { columns: ['id', 'action', 'server', 'status', 'progress', 'user', 'error'] },
  '/batches': { columns: ['id', 'action', 'status', 'total', 'succeeded', 'failed', 'refused'] },
  '/checks': { columns: ['name', 'severity', 'violations', 'enabled', 'q'] },
  '/views': { columns: ['name', 'q', 'sharing', 'user', 'updated_at'] },
}

/** Lists under a second address, for other clients. */
export const duplicateLists: ReadonlySet<string> = new Set([
  '/actions',
  '/v3/events',
  '/v3/auth/projects',
  '/v3/auth/domains',
])

/** The only list whose operation is not named `list…`. */
export const otherLists: ReadonlySet<string> = new Set(['/servers/changes'])
