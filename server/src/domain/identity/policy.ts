import type { RequiredPermission } from '@muster/contract'
import type { PolicyRecord, PolicyRule } from './records.ts'

export type Permission = Pick<RequiredPermission, 'service' | 'resource' | 'action'>

const matches = (pattern: string, value: string) => pattern === '*' || pattern === value

/** `perform` matches every action that is performed, such as `perform.start`. */
const matchesAction = (pattern: string, action: string) =>
  matches(pattern, action) || (pattern === 'perform' && action.startsWith('perform.'))

/** Whether a rule matches a permission, to allow or to deny it. */
export const appliesTo = (rule: PolicyRule, { service, resource, action }: Permission): boolean =>
  matches(rule.service, service) &&
  matches(rule.resource, resource) &&
  matchesAction(rule.action, action)

/** How many of the three parts a rule names exactly. `perform.start` is more exact than `perform`. */
const exactness = (rule: PolicyRule) =>
  [rule.service, rule.resource, rule.action].filter((part) => part !== '*').length +
  (rule.action.includes('.') ? 0.5 : 0)

export interface PolicyDecision {
  readonly policy: PolicyRecord
  readonly rule: PolicyRule
}

/** The deciding rule: the more exact one, and deny in a tie. Undefined where no rule matches. */
export function findDecidingRule(
  policies: readonly PolicyRecord[],
  permission: Permission,
): PolicyDecision | undefined {
  let strongest: PolicyDecision | undefined
  for (const policy of policies) {
    if (!policy.enabled) continue
    for (const rule of policy.rules) {
      if (appliesTo(rule, permission) && outweighs(rule, strongest?.rule)) {
        strongest = { policy, rule }
      }
    }
  }
  return strongest
}

/** Whether these policies together allow the permission. Without a matching rule it is denied. */
export const allows = (policies: readonly PolicyRecord[], permission: Permission): boolean =>
  findDecidingRule(policies, permission)?.rule.effect === 'allow'

function outweighs(rule: PolicyRule, other: PolicyRule | undefined): boolean {
  if (other === undefined) return true
  const difference = exactness(rule) - exactness(other)
  return difference > 0 || (difference === 0 && rule.effect === 'deny')
}
