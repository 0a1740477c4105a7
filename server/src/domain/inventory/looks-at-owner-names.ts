import type { Condition } from './condition.ts'
import { isOwnerField } from './owner-fields.ts'

/** Whether a condition depends on names of projects or domains, which can change without a write of servers. */
export function looksAtOwnerNames(condition: Condition): boolean {
  switch (condition.kind) {
    case 'field':
      return isOwnerField(condition.field)
    case 'resource':
      return condition.resource === 'project'
    case 'all':
    case 'any':
      return condition.conditions.some(looksAtOwnerNames)
    case 'not':
      return looksAtOwnerNames(condition.condition)
    case 'search':
    case 'tag':
    case 'address':
    case 'network':
      return false
  }
}
