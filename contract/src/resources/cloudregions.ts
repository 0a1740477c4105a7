import { exampleTimestamp } from '../administration/examples.ts'
import { inventoryOperations } from './list-operations.ts'
import {
  enumeration,
  filterable,
  number,
  short,
  shortSearchable,
  text,
  timestamp,
  type Resource,
  type Wire,
} from './resource.ts'

/** The regions of clouds and the sites of hypervisors. */
export const cloudregions = {
  key: 'cloudregion',
  keys: 'cloudregions',
  noun: 'CloudRegion',
  nouns: 'CloudRegions',
  one: 'a region',
  many: 'regions',
  fields: {
    id: text('UUID of the region, as in `cloudregion_id` of a server', shortSearchable),
    name: text('Name', shortSearchable),
    status: enumeration('`inservice`, `outofservice` or `unknown`', short, 'unknown'),
    provider: enumeration('`OneCloud`, `VMware`, `OpenStack`, `Aws`, …', short),
    cloud_env: enumeration('`public`, `private` or `onpremise`', short),
    external_id: text('Id at the source', shortSearchable),
    guest_count: number('Number of servers in the region that you can access', ['short']),
    created_at: timestamp('When Muster first saw the region', short),
    updated_at: timestamp('When Muster last saw a change', filterable),
  },
  columns: ['name', 'status', 'guest_count', 'provider', 'cloud_env', 'external_id'],
} as const satisfies Resource
export type CloudRegion = Wire<typeof cloudregions>

export const cloudRegionOperations = inventoryOperations(cloudregions, 'Regions', {
  id: '1f0e2d3c-4b5a-4968-8776-655443322110',
  name: 'eu-central-1',
  status: 'inservice',
  provider: 'Aws',
  cloud_env: 'public',
  external_id: 'eu-central-1',
  guest_count: 40,
  created_at: exampleTimestamp,
})
