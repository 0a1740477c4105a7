/** The type of an event's target, by the resource that an operation acts on. */
export const targetTypes = {
  domains: 'domain',
  projects: 'project',
  users: 'user',
  groups: 'group',
  roles: 'role',
  policies: 'policy',
  credentials: 'credential',
  identity_providers: 'identity_provider',
  servers: 'server',
  views: 'view',
  cloudaccounts: 'cloudaccount',
} as const
