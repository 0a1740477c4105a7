import { example, exampleTimestamp } from '../administration/examples.ts'
import { inventoryNames } from './names.ts'
import {
  boolean,
  enumeration,
  filterable,
  fromServer,
  number,
  providerField,
  seenFields,
  short,
  shortSearchable,
  text,
  type InventoryResource,
} from './resource.ts'

/** The managers: the tenants and subscriptions of cloud accounts, or the accounts themselves. */
export const cloudproviders = {
  ...inventoryNames.cloudproviders,
  tag: 'Managers',
  visibility: { through: 'servers', field: 'manager_id', count: 'guest_count' },
  fields: {
    id: text('Id of the manager, as in `manager_id` of a server', shortSearchable),
    name: fromServer('manager', text('Name', shortSearchable)),
    status: enumeration('`connected`, `disconnected` or `unknown`', short, 'unknown'),
    enabled: boolean('Whether the cloud account is synced', short, true),
    provider: providerField,
    brand: fromServer(
      'brand',
      enumeration('The provider, or the name that the account gives to it', short),
    ),
    cloudaccount: fromServer('account', text('Name of the cloud account', short)),
    cloudaccount_id: fromServer('account_id', text('Id of the cloud account', short)),
    tenant_id: fromServer(
      'manager_project_id',
      text('Id of the default project of the cloud account', filterable),
    ),
    external_id: text('Id of the tenant or subscription at the source', shortSearchable),
    guest_count: number('Number of servers of the manager that you can access', ['short']),
    ...seenFields('manager'),
  },
  columns: ['name', 'status', 'guest_count', 'provider', 'cloudaccount'],
  example: {
    id: '6f5e4d3c-2b1a-4098-8f7e-6d5c4b3a2918',
    name: 'research-aws',
    status: 'connected',
    enabled: true,
    provider: 'Aws',
    brand: 'Aws',
    cloudaccount: 'research-aws',
    cloudaccount_id: '6f5e4d3c-2b1a-4098-8f7e-6d5c4b3a2918',
    tenant_id: example.projectId,
    guest_count: 51,
    created_at: exampleTimestamp,
  },
  unsupportedFlags: ['has_object_storage', 'usable'],
} as const satisfies InventoryResource
