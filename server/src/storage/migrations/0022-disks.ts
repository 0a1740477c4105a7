import type { Kysely } from 'kysely'
import { createResourceTable } from './resource-table.ts'

export const diskColumns = {
  texts: [
    'name',
    'disk_type',
    'disk_format',
    'fs_format',
    'driver',
    'cache_mode',
    'aio_mode',
    'medium_type',
    'storage_type',
    'template',
    'template_id',
  ],
  numbers: ['index', 'disk_size', 'iops', 'throughput'],
}

/** The disks of servers. Servers that are stored already are written again after the start, with their disks. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createResourceTable(db, 'disks', { ...diskColumns, parent: 'guest_id' })
