import type { PolicyAction, PolicyRecord, PolicyRule } from './records.ts'

export interface Permission {
  readonly service: 'identity' | 'compute'
  readonly resource: string
  readonly action: PolicyAction
}

const matches = (pattern: string, value: string) => pattern === '*' || pattern === value

/** How many of the three places a rule names exactly. */
const exactness = (rule: PolicyRule) =>
  [rule.service, rule.resource, rule.action].filter((place) => place !== '*').length

/**
 * Whether these policies, taken together, allow it. The more exact rule wins, deny wins a tie, and
 * what no rule speaks of is denied.
 */
export function allows(policies: readonly PolicyRecord[], permission: Permission): boolean {
  let strongest: PolicyRule | undefined
  for (const policy of policies) {
    if (!policy.enabled) continue
    for (const rule of policy.rules) {
      const applies =
        matches(rule.service, permission.service) &&
        matches(rule.resource, permission.resource) &&
        matches(rule.action, permission.action)
      if (applies && outweighs(rule, strongest)) strongest = rule
    }
  }
  return strongest?.effect === 'allow'
}

function outweighs(rule: PolicyRule, other: PolicyRule | undefined): boolean {
  if (other === undefined) return true
  const difference = exactness(rule) - exactness(other)
  return difference > 0 || (difference === 0 && rule.effect === 'deny')
}
