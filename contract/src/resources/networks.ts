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

/** The networks and subnets that NICs of servers are attached to. */
export const networks = {
  key: 'network',
  keys: 'networks',
  noun: 'Network',
  nouns: 'Networks',
  one: 'a network',
  many: 'networks',
  fields: {
    id: text('Id of the network, as in `network_id` of a NIC', shortSearchable),
    name: text('Name', shortSearchable),
    status: enumeration('`available`, `down` or `unknown`', short, 'unknown'),
    guest_ip_start: text('First address for servers', shortSearchable),
    guest_ip_end: text('Last address for servers', short),
    guest_ip_mask: number('Length of the network mask', short),
    guest_gateway: text('Address of the gateway', short),
    vlan_id: number('VLAN id. 0: none.', short),
    vpc: text('Name of the VPC', filterable),
    vpc_id: text('Id of the VPC', short),
    provider: enumeration('`OneCloud`, `VMware`, `OpenStack`, `Aws`, …', short),
    account: text('Name of the cloud account that reports the network', filterable),
    account_id: text('Id of the cloud account', filterable),
    manager: text('Name of the manager', filterable),
    manager_id: text('Id of the manager', short),
    cloudregion: text('Name of the region', short),
    cloudregion_id: text('Id of the region', short),
    zone: text('Name of the zone', short),
    zone_id: text('Id of the zone', short),
    external_id: text('Id at the source', shortSearchable),
    guest_count: number('Number of servers in the network that you can access', ['short']),
    created_at: timestamp('When Muster first saw the network', short),
    updated_at: timestamp('When Muster last saw a change', filterable),
  },
  columns: ['name', 'status', 'guest_count', 'guest_ip_start', 'vpc', 'provider', 'cloudregion'],
} as const satisfies Resource
export type Network = Wire<typeof networks>

export const networkOperations = inventoryOperations(networks, 'Networks', {
  id: 'subnet-0123456789abcdef0',
  name: 'web',
  status: 'available',
  guest_ip_start: '10.4.2.4',
  guest_ip_end: '10.4.2.254',
  guest_ip_mask: 24,
  guest_gateway: '10.4.2.1',
  vlan_id: 0,
  vpc_id: 'vpc-0123456789abcdef0',
  provider: 'Aws',
  cloudregion: 'eu-central-1',
  zone: 'eu-central-1a',
  guest_count: 9,
  created_at: exampleTimestamp,
})
