import type { FieldUsedFor, servers } from '@muster/contract'

/** The filter keys of servers, most used first. */
export const filterKeys = [
  { name: 'status', groups: 'status', hasStatusGroups: true },
  { name: 'project', groups: 'project' },
  { name: 'provider', groups: 'provider' },
  { name: 'account', groups: 'account' },
  { name: 'region', groups: 'region' },
  { name: 'zone', groups: 'zone' },
  { name: 'ip' },
  { name: 'tag' },
  { name: 'name' },
  { name: 'vcpu', signs: ['>=', '<=', ':'] },
  { name: 'memory', signs: ['>=', '<=', ':'] },
  { name: 'disk', signs: ['>=', '<=', ':'] },
  { name: 'os', groups: 'os_type' },
  { name: 'os_name', groups: 'os_name' },
  { name: 'hypervisor', groups: 'hypervisor' },
  { name: 'brand', groups: 'brand' },
  { name: 'type', groups: 'instance_type' },
  { name: 'host', groups: 'host' },
  { name: 'domain', groups: 'project_domain' },
  { name: 'vpc', groups: 'vpc' },
  { name: 'network' },
  { name: 'secgroup', groups: 'secgroup' },
  { name: 'created', signs: ['>=', '<=', ':'] },
  { name: 'updated', signs: ['>=', '<=', ':'] },
  { name: 'gpu', values: ['true', 'false'] },
  { name: 'billing_type', groups: 'billing_type' },
  { name: 'id' },
  { name: 'external_id' },
] as const satisfies readonly ServerKey[]

export interface FilterKey {
  readonly name: string
  /** The API field to count values by. */
  readonly groups?: string
  readonly signs?: readonly string[]
  readonly values?: readonly string[]
  /** Groups of statuses of servers can be named instead of their statuses. */
  readonly hasStatusGroups?: boolean
}

interface ServerKey extends FilterKey {
  readonly groups?: FieldUsedFor<typeof servers, 'filter'>
}

export type FilterName = (typeof filterKeys)[number]['name']

export const findKey = (keys: readonly FilterKey[], name: string): FilterKey | undefined =>
  keys.find((key) => key.name === name.toLowerCase())
