/**
 * The kinds of scope, without a particular project or domain: of a policy, of a permission. On the wire
 * it is the `scope` of a policy.
 */
export const levels = ['system', 'domain', 'project'] as const
export type Level = (typeof levels)[number]

export const policyServices = ['identity', 'compute'] as const
export type PolicyService = (typeof policyServices)[number]

/** Actions on servers that a rule can name one by one. A rule with `perform` matches all of them. */
export const performedActions = [
  'start',
  'stop',
  'restart',
  'reset',
  'suspend',
  'resume',
  'change-config',
  'syncstatus',
] as const
export type PerformedAction = (typeof performedActions)[number]

const perform = performedActions.map((action) => `perform.${action}` as const)

export const policyActions = [
  'list',
  'get',
  'create',
  'update',
  'delete',
  'perform',
  ...perform,
] as const
export type PolicyAction = (typeof policyActions)[number]
