import type { PolicyRule } from '../../domain/identity/records.ts'

/** Facts about a policy that queries need without parsing its rules. */
export function policyFlags(rules: string): { allows_all: number; forbids: number } {
  const list = JSON.parse(rules) as PolicyRule[]
  const allowsAll = list.some(
    ({ service, resource, action, effect }) =>
      effect === 'allow' && [service, resource, action].every((part) => part === '*'),
  )
  const forbids = list.some(({ effect }) => effect === 'deny')
  return { allows_all: Number(allowsAll), forbids: Number(forbids) }
}
