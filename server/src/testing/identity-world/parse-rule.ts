import type { PolicyRule } from '@muster/contract'

/** A rule in one line: `allow compute servers list`. */
export function parseRule(text: string): PolicyRule {
  const [effect = '', service = '', resource = '', action = ''] = text.split(' ')
  return { effect, service, resource, action } as PolicyRule
}
