import type { FieldName, FieldUsedFor, servers } from '@muster/contract'

/** The columns of the server list. */
const columns = {
  name: { fields: ['name'], sortBy: 'name', width: 195 },
  status: { fields: ['status'], sortBy: 'status', width: 156 },
  ips: { fields: ['ips', 'eip'], width: 122, isWhole: true },
  project: { fields: ['project'], width: 166 },
  size: {
    fields: ['vcpu_count', 'vmem_size'],
    sortBy: 'vcpu_count',
    width: 88,
    number: true,
    isWhole: true,
  },
  where: { fields: ['provider', 'region', 'zone'], sortBy: 'provider', width: 238 },
  os: { fields: ['os_type', 'os_name'], sortBy: 'os_type', width: 230 },
  tags: { fields: ['metadata'], width: 200 },
  created_at: { fields: ['created_at'], sortBy: 'created_at', width: 90 },
  auto_delete_at: { fields: ['auto_delete_at'], sortBy: 'auto_delete_at', width: 120 },
  updated_at: { fields: ['updated_at'], sortBy: 'updated_at', width: 90 },
  account: { fields: ['account'], sortBy: 'account', width: 140 },
  provider: { fields: ['provider'], sortBy: 'provider', width: 110 },
  region: { fields: ['region'], sortBy: 'region', width: 130 },
  zone: { fields: ['zone'], sortBy: 'zone', width: 130 },
  domain: { fields: ['project_domain'], width: 120 },
  vcpu_count: {
    fields: ['vcpu_count'],
    sortBy: 'vcpu_count',
    width: 84,
    number: true,
    isWhole: true,
  },
  vmem_size: { fields: ['vmem_size'], sortBy: 'vmem_size', width: 96, number: true, isWhole: true },
  disk: { fields: ['disk'], sortBy: 'disk', width: 96, number: true, isWhole: true },
  instance_type: { fields: ['instance_type'], sortBy: 'instance_type', width: 130 },
  hypervisor: { fields: ['hypervisor'], sortBy: 'hypervisor', width: 110 },
  host: { fields: ['host'], sortBy: 'host', width: 140 },
  vpc: { fields: ['vpc'], width: 140 },
  secgroup: { fields: ['secgroup'], width: 130 },
  billing_type: { fields: ['billing_type'], width: 110 },
  id: { fields: ['id'], sortBy: 'id', width: 300 },
  external_id: { fields: ['external_id'], sortBy: 'external_id', width: 200 },
  description: { fields: ['description'], width: 220 },
} as const satisfies Record<string, ColumnDefinition>

interface ColumnDefinition {
  readonly fields: readonly FieldName<typeof servers>[]
  /** Undefined if the API cannot sort by it, or only slowly. */
  readonly sortBy?: FieldUsedFor<typeof servers, 'sort'>
  readonly width: number
  readonly number?: boolean
  /** Its values are never cut. */
  readonly isWhole?: boolean
}

export type ColumnName = keyof typeof columns

export const columnNames = Object.keys(columns) as ColumnName[]

/**
 * They show `columns` of the API's description, and fit a window of 1440 pixels. Tags and the operating
 * system need the most room: with one of them, many texts would be cut.
 */
export const defaultColumns: readonly ColumnName[] = [
  'name',
  'status',
  'ips',
  'project',
  'size',
  'where',
  'created_at',
]

/** The recycle bin shows when each server will be deleted. */
export const withBinColumn = (names: readonly ColumnName[]): readonly ColumnName[] =>
  names.includes('auto_delete_at') ? names : [...names, 'auto_delete_at']

export const columnDefinition = (name: ColumnName): ColumnDefinition => columns[name]

/** The fields to request for these columns. */
export function fieldsFor(names: readonly ColumnName[]): string[] {
  const needed = names.flatMap((name) => [...columnDefinition(name).fields])
  return [...new Set(['id', 'name', 'status', 'account', 'metadata', ...needed])]
}
