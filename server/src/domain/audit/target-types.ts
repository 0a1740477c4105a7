/** The type of an event's target, by the resource that an operation of the identity API acts on. */
export const identityTargetTypes = {
  domains: 'domain',
  projects: 'project',
  users: 'user',
  groups: 'group',
  roles: 'role',
  policies: 'policy',
  credentials: 'credential',
  identity_providers: 'identity_provider',
} as const

/** The same for all resources. */
export const targetTypes = {
  ...identityTargetTypes,
  servers: 'server',
  views: 'view',
  cloudaccounts: 'cloudaccount',
} as const
