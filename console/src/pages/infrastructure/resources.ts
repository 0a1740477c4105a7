import {
  inventoryResources,
  type InventoryResource,
  type Resource,
} from '@muster/contract/resources'
import type { FilterKey } from '../../filter/keys.ts'
import type { InventoryKind } from '../../inventory/kinds.ts'
import { textOf, type ResourceRow } from '../../inventory/resource-row.ts'
import { renderTerm } from '../../filter/terms.ts'

export const resources: Readonly<Record<InventoryKind, InventoryResource>> = inventoryResources

/** The server that an item belongs to; undefined if servers refer to it. */
export function parentOf(kind: InventoryKind, row: ResourceRow): string | undefined {
  const { visibility } = resources[kind]
  return visibility.through === 'parent' ? textOf(row, visibility.field) : undefined
}

/** The filter for the servers that refer to an item. */
export function serversQ(kind: InventoryKind, { id }: ResourceRow): string {
  const { visibility } = resources[kind]
  const filter = visibility.through === 'servers' ? visibility.filter : undefined
  return renderTerm(filter ?? visibility.field, [id])
}

/** The fields that the caller can see and use. */
export function visibleFields(resource: Resource, hasSystemRole: boolean): readonly string[] {
  const all = Object.keys(resource.fields)
  const { fieldsWithoutSystemRole: some } = resource
  return hasSystemRole || !some ? all : all.filter((name) => some.includes(name))
}

/** The default columns that the caller can see. */
export const defaultColumns = (resource: Resource, fields: readonly string[]) =>
  (resource.columns ?? []).filter((name) => fields.includes(name))

/** The number of servers, which each resource has under its own name. */
export const isServerCount = (field: string): boolean =>
  field === 'guests' || field === 'guest_count'

/** The field with the id of what a field names: `zone_id` for `zone`. */
export const idFieldOf = (resource: Resource, field: string): string | undefined =>
  Object.hasOwn(resource.fields, `${field}_id`) ? `${field}_id` : undefined

/** Other fields that the cell of a field shows or links to. */
const alsoShown: Readonly<Record<string, readonly string[]>> = {
  guest_ip_start: ['guest_ip_end', 'guest_ip_mask'],
}

/** The fields to request for columns. */
export function fieldsFor(resource: Resource, columns: readonly string[]): readonly string[] {
  const needed = columns.flatMap((name) => [
    name,
    ...(alsoShown[name] ?? []),
    ...[idFieldOf(resource, name)].filter((field) => field !== undefined),
  ])
  return [...new Set(['id', 'name', ...needed])]
}

/** `10.4.2.4 – 10.4.2.254/24`, without unknown parts. */
export function addressRange(row: ResourceRow): string {
  const start = textOf(row, 'guest_ip_start')
  const end = textOf(row, 'guest_ip_end')
  const { guest_ip_mask: mask } = row
  const range = end === '' || end === start ? start : `${start} – ${end}`
  return start !== '' && mask ? `${range}/${mask}` : range
}

const signs = ['>=', '<=', ':']

function filterKey(resource: Resource, name: string): FilterKey {
  switch (resource.fields[name]?.type) {
    case 'number':
    case 'timestamp':
      return { name, signs }
    case 'boolean':
      return { name, values: ['true', 'false'] }
    case 'text':
    case 'enum':
    case 'object':
    case undefined:
      return { name, groups: name }
  }
}

/** The filter keys: the default columns first, then the other fields. */
export function filterKeys(resource: Resource, fields: readonly string[]): readonly FilterKey[] {
  const isUsable = (name: string) => resource.fields[name]?.uses.includes('filter') === true
  return [...new Set([...(resource.columns ?? []), ...fields])]
    .filter((name) => isUsable(name) && fields.includes(name))
    .map((name) => filterKey(resource, name))
}

const widths = { text: 170, enum: 140, number: 110, boolean: 100, timestamp: 120, object: 0 }
const ownWidths: Readonly<Record<string, number>> = {
  id: 300,
  name: 220,
  status: 150,
  guest_ip_start: 240,
  external_id: 220,
}

/** The columns for fields, without their titles. */
export const columnsFor = (resource: Resource, names: readonly string[]) =>
  names.map((name) => {
    const { type = 'text', uses = [] } = resource.fields[name] ?? {}
    return {
      name,
      width: ownWidths[name] ?? widths[type],
      number: type === 'number',
      isWhole: type === 'number',
      sortBy: uses.includes('sort') ? name : undefined,
    }
  })

/** The values of a row that make sense as filters. */
export const filterValues = (resource: Resource, row: ResourceRow) =>
  Object.keys(row)
    .filter((name) => resource.fields[name]?.type === 'enum' && textOf(row, name) !== '')
    .map((name) => ({ name, value: textOf(row, name) }))

/**
 * The fields to show of an item, in the order of its description. Its name is the title, and the id
 * of what it names is part of a link.
 */
export function shownFields(resource: Resource, row: ResourceRow): readonly string[] {
  const ids = Object.keys(row).map((name) => idFieldOf(resource, name))
  const hidden = new Set(['name', ...ids, ...Object.values(alsoShown).flat()])
  return Object.keys(resource.fields).filter((name) => row[name] !== undefined && !hidden.has(name))
}
