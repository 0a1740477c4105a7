import type { RequiredPermission } from '@muster/contract'
import type { Changes } from '../../audit/event.ts'
import { covers, type ScopeOrNone } from '../../scope.ts'
import type { ServerDiff } from './server-diff.ts'

/** The permission to see which checks a server violates. */
export const listChecks: RequiredPermission = {
  service: 'compute',
  resource: 'checks',
  action: 'list',
  at: ['system', 'domain', 'project'],
}

const prefix = 'check:'

export const isCheckKey = (key: string): boolean => key.startsWith(prefix)

/** Whether a change tells that a check began or ceased to match. Then the server is the same before and after. */
export const isCheckChange = (diff: ServerDiff): boolean => Object.keys(diff).some(isCheckKey)

/** What decides who is told of a check. It is stored, because the check may be deleted later. */
interface CheckOwner {
  readonly name: string
  readonly built_in: boolean
  readonly project_id: string
  readonly domain_id: string
}

export function checkDiff(
  { id, name, built_in, project_id, domain_id }: CheckOwner & { readonly id: string },
  isViolated: boolean,
): ServerDiff {
  const owner: CheckOwner = { name, built_in, project_id, domain_id }
  return { [`${prefix}${id}`]: isViolated ? [null, owner] : [owner, null] }
}

/** The checks that callers may see who can list checks in a scope. */
export function toldChecks(diff: ServerDiff, scope: ScopeOrNone): Changes {
  const told = Object.values(diff).flatMap(([before, after]) => {
    const check = (after ?? before) as CheckOwner
    const owner = { projectId: check.project_id, domainId: check.domain_id }
    const isVisible = check.built_in ? scope.kind !== 'none' : covers(scope, owner)
    const violated = (value: unknown) => (value === null ? null : 'violated')
    const pair: [unknown, unknown] = [violated(before), violated(after)]
    return isVisible ? [[`${prefix}${check.name}`, pair] as const] : []
  })
  return Object.fromEntries(told)
}
