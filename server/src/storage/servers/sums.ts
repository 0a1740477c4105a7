import { sql } from 'kysely'
import type { Sum } from '../../domain/inventory/ports.ts'
import type { Row } from '../database.ts'

/** Total sizes of servers. The count is a separate expression, which depends on the table. */
export const sums = sql`coalesce(sum(vcpu_count), 0) as vcpu_count, coalesce(sum(vmem_size), 0) as vmem_size, coalesce(sum(disk), 0) as disk`

export const toSum = (row: Row | undefined): Sum => ({
  count: Number(row?.['count'] ?? 0),
  vcpu_count: Number(row?.['vcpu_count'] ?? 0),
  vmem_size: Number(row?.['vmem_size'] ?? 0),
  disk: Number(row?.['disk'] ?? 0),
})
