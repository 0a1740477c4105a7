/** What most operations of a service have in common. Those that differ override it. */
export const identityDefaults = {
  access: 'token',
  servedBy: ['identity'],
  throughGateway: true,
  cache: 'private',
  rateLimit: 'token',
} as const

export const platformDefaults = { ...identityDefaults, servedBy: ['platform'] } as const

/** Operations that need no token. */
export const publicDefaults = {
  access: 'public',
  throughGateway: false,
  cache: 'default',
  rateLimit: 'unlimited',
} as const
