import type { Kysely } from 'kysely'
import { createResourceTable } from './resource-table.ts'
import { addServerColumn } from './server-columns.ts'

const place = ['provider', 'cloudregion', 'cloudregion_id', 'external_id']

/** The images and flavors of servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['image', 'image_id', 'flavor_uuid']) {
    await addServerColumn(db, name, { storage: 'dictionary', default: '' })
  }
  const system = ['os_type', 'os_distribution', 'os_version', 'os_arch', 'disk_format']
  await createResourceTable(db, 'images', {
    texts: ['name', 'status', ...system, ...place],
    numbers: ['size', 'min_disk', 'min_ram'],
  })
  await createResourceTable(db, 'flavors', {
    texts: ['name', 'cpu_arch', 'gpu_spec', ...place],
    numbers: ['cpu_core_count', 'memory_size_mb', 'attached_disk_size_gb', 'gpu_count'],
  })
}
