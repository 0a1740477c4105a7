/** The filter keys, most used first. `groups` is the API field to count values by. */
export const filterKeys = [
  { name: 'status', groups: 'status' },
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
  { name: 'secgroup', groups: 'secgroup' },
  { name: 'created', signs: ['>=', '<=', ':'] },
  { name: 'updated', signs: ['>=', '<=', ':'] },
  { name: 'gpu', values: ['true', 'false'] },
  { name: 'billing_type', groups: 'billing_type' },
  { name: 'id' },
  { name: 'external_id' },
] as const satisfies readonly FilterKey[]

export interface FilterKey {
  readonly name: string
  readonly groups?: string
  readonly signs?: readonly string[]
  readonly values?: readonly string[]
}

export type FilterName = (typeof filterKeys)[number]['name']

export const findKey = (name: string): FilterKey | undefined =>
  filterKeys.find((key) => key.name === name.toLowerCase())
