import { exampleTimestamp } from '../administration/examples.ts'
import { inventoryNames } from './names.ts'
import {
  enumeration,
  fromServer,
  number,
  providerField,
  regionFields,
  seenFields,
  short,
  shortSearchable,
  text,
  type InventoryResource,
} from './resource.ts'

/** The availability zones of regions. */
export const zones = {
  ...inventoryNames.zones,
  tag: 'Zones',
  visibility: { through: 'servers', field: 'zone_id', count: 'guest_count' },
  fields: {
    id: text('UUID of the zone, as in `zone_id` of a server', shortSearchable),
    name: fromServer('zone', text('Name', shortSearchable)),
    status: enumeration('`enable`, `disable`, `soldout` or `unknown`', short, 'unknown'),
    provider: providerField,
    ...regionFields,
    external_id: fromServer('zone_ext_id', text('Id at the source', shortSearchable)),
    guest_count: number('Number of servers in the zone that you can access', ['short']),
    ...seenFields('zone'),
  },
  columns: ['name', 'status', 'guest_count', 'provider', 'cloudregion', 'external_id'],
  example: {
    id: '2e1f0d3c-4b5a-4968-8776-655443322110',
    name: 'eu-central-1a',
    status: 'enable',
    provider: 'Aws',
    cloudregion: 'eu-central-1',
    cloudregion_id: '1f0e2d3c-4b5a-4968-8776-655443322110',
    external_id: 'euc1-az2',
    guest_count: 14,
    created_at: exampleTimestamp,
  },
} as const satisfies InventoryResource
