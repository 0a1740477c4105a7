import { exampleTimestamp } from '../administration/examples.ts'
import { inventoryNames } from './names.ts'
import {
  enumeration,
  fromServer,
  number,
  providerField,
  seenFields,
  short,
  shortSearchable,
  text,
  type InventoryResource,
} from './resource.ts'

/** The regions of clouds and the sites of hypervisors. */
export const cloudregions = {
  ...inventoryNames.cloudregions,
  tag: 'Regions',
  visibility: { through: 'servers', field: 'cloudregion_id', count: 'guest_count' },
  fields: {
    id: text('UUID of the region, as in `cloudregion_id` of a server', shortSearchable),
    name: fromServer('region', text('Name', shortSearchable)),
    status: enumeration('`inservice`, `outofservice` or `unknown`', short, 'unknown'),
    provider: providerField,
    cloud_env: fromServer('cloud_env', enumeration('`public`, `private` or `onpremise`', short)),
    external_id: fromServer('region_ext_id', text('Id at the source', shortSearchable)),
    guest_count: number('Number of servers in the region that you can access', ['short']),
    ...seenFields('region'),
  },
  columns: ['name', 'status', 'guest_count', 'provider', 'cloud_env', 'external_id'],
  example: {
    id: '1f0e2d3c-4b5a-4968-8776-655443322110',
    name: 'eu-central-1',
    status: 'inservice',
    provider: 'Aws',
    cloud_env: 'public',
    external_id: 'eu-central-1',
    guest_count: 40,
    created_at: exampleTimestamp,
  },
} as const satisfies InventoryResource
