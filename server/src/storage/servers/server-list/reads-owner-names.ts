import { looksAtOwnerNames } from '../../../domain/inventory/looks-at-owner-names.ts'
import type { PageQuery } from '../../../domain/inventory/ports.ts'
import { isOwnerField } from '../field-columns.ts'

/** Whether the result depends on owner names, which can change without a write of servers. */
export const readsOwnerNames = ({ where, order }: Pick<PageQuery, 'where' | 'order'>): boolean =>
  looksAtOwnerNames(where) || order.some(({ field }) => isOwnerField(field))
