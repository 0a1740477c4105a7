/** The values that policies are made of. */
export const policyScopes = ['system', 'domain', 'project'] as const
export type PolicyScope = (typeof policyScopes)[number]

export const policyServices = ['identity', 'compute'] as const
export type PolicyService = (typeof policyServices)[number]

export const policyActions = ['list', 'get', 'create', 'update', 'delete', 'perform'] as const
export type PolicyAction = (typeof policyActions)[number]
