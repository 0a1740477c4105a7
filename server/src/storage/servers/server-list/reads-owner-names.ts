import type { Condition } from '../../../domain/inventory/condition.ts'
import type { PageQuery } from '../../../domain/inventory/ports.ts'
import { isOwnerField } from '../field-columns.ts'

function looksAtNames(condition: Condition): boolean {
  switch (condition.kind) {
    case 'field':
      return isOwnerField(condition.field)
    case 'resource':
      return condition.resource === 'project'
    case 'all':
    case 'any':
      return condition.conditions.some(looksAtNames)
    case 'not':
      return looksAtNames(condition.condition)
    case 'search':
    case 'tag':
    case 'address':
    case 'network':
      return false
  }
}

/** Whether the result depends on owner names, which can change without a write of servers. */
export const readsOwnerNames = ({ where, order }: Pick<PageQuery, 'where' | 'order'>): boolean =>
  looksAtNames(where) || order.some(({ field }) => isOwnerField(field))
