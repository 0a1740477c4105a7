import { exampleTimestamp } from '../administration/examples.ts'
import { inventoryNames } from './names.ts'
import {
  enumeration,
  filterable,
  fromServer,
  number,
  short,
  shortSearchable,
  text,
  timestamp,
  type InventoryResource,
} from './resource.ts'

/** The images that servers were made from. */
export const images = {
  ...inventoryNames.images,
  tag: 'Images',
  visibility: { through: 'servers', field: 'image_id', count: 'guest_count' },
  fields: {
    id: text('Id of the image, as in `image_id` of a server', shortSearchable),
    name: fromServer('image', text('Name', shortSearchable)),
    status: enumeration('`active`, `deprecated`, `failed`, … or `unknown`', short, 'unknown'),
    os_type: fromServer('os_type', enumeration('`Linux`, `Windows`, …', short)),
    os_distribution: text('Distribution: `Ubuntu`, `Windows Server`, …', short),
    os_version: text('Version of the distribution', short),
    os_arch: enumeration('`x86_64`, `aarch64`, …', short),
    disk_format: enumeration('`raw`, `qcow2`, `vmdk`, …', filterable),
    size: number('Size in bytes', short),
    min_disk: number('Smallest system disk, in MB. 0: any.', short),
    min_ram: number('Smallest memory, in MB. 0: any.', filterable),
    provider: fromServer(
      'provider',
      enumeration('`OneCloud`, `VMware`, `OpenStack`, `Aws`, …', short),
    ),
    cloudregion: fromServer('region', text('Name of the region', short)),
    cloudregion_id: fromServer('cloudregion_id', text('Id of the region', short)),
    external_id: fromServer('image_id', text('Id at the source', shortSearchable)),
    guest_count: number('Number of servers with the image that you can access', ['short']),
    created_at: timestamp('When Muster first saw the image', short),
    updated_at: timestamp('When Muster last saw a change', filterable),
  },
  columns: ['name', 'status', 'guest_count', 'os_type', 'os_arch', 'provider', 'cloudregion'],
  example: {
    id: 'ami-0123456789abcdef0',
    name: 'ubuntu-jammy-22.04-amd64-server-20260301',
    status: 'active',
    os_type: 'Linux',
    os_distribution: 'Ubuntu',
    os_version: '22.04',
    os_arch: 'x86_64',
    min_disk: 8_192,
    provider: 'Aws',
    cloudregion: 'eu-central-1',
    external_id: 'ami-0123456789abcdef0',
    guest_count: 12,
    created_at: exampleTimestamp,
  },
} as const satisfies InventoryResource
