import { exampleTimestamp } from '../administration/examples.ts'
import { inventoryNames } from './names.ts'
import {
  enumeration,
  filterable,
  fromServer,
  megabytes,
  number,
  regionFields,
  seenFields,
  short,
  shortSearchable,
  text,
  type InventoryResource,
} from './resource.ts'

/** The sizes that a cloud offers for servers: flavors, instance types, SKUs. */
export const flavors = {
  ...inventoryNames.flavors,
  tag: 'Flavors',
  visibility: { through: 'servers', field: 'flavor_uuid', count: 'guest_count' },
  fields: {
    id: text('UUID of the flavor, as in `flavor_uuid` of a server', shortSearchable),
    name: fromServer('instance_type', text('Name', shortSearchable)),
    cpu_core_count: fromServer('vcpu_count', number('Number of vCPUs', short)),
    cpu_arch: enumeration('`x86_64`, `arm64`, …', filterable),
    memory_size_mb: fromServer('vmem_size', megabytes('Memory in MB', short)),
    attached_disk_size_gb: number('Size in GB of the disks that belong to the flavor', short),
    gpu_count: number('Number of GPUs', short),
    gpu_spec: text('Model of the GPUs', short),
    provider: fromServer('provider', enumeration('`OpenStack`, `Aws`, `Azure`, …', short)),
    ...regionFields,
    external_id: fromServer(
      'flavor_id',
      text('Id at the source, as in `flavor_id` of a server', shortSearchable),
    ),
    guest_count: number('Number of servers with the flavor that you can access', ['short']),
    ...seenFields('flavor'),
  },
  columns: ['name', 'guest_count', 'cpu_core_count', 'memory_size_mb', 'provider', 'cloudregion'],
  example: {
    id: '3c2b1a09-4f8e-4d7c-8b5a-49382716f5e4',
    name: 'g4dn.xlarge',
    cpu_core_count: 4,
    memory_size_mb: 16_384,
    attached_disk_size_gb: 125,
    gpu_count: 1,
    gpu_spec: 'NVIDIA T4',
    provider: 'Aws',
    cloudregion: 'eu-central-1',
    external_id: 'g4dn.xlarge',
    guest_count: 3,
    created_at: exampleTimestamp,
  },
} as const satisfies InventoryResource
