import type { Server } from '@muster/contract'
import { fields } from '../../domain/inventory/fields.ts'
import type { Field } from '../../domain/inventory/condition.ts'
import { isOwnerField, type OwnerField } from '../../domain/inventory/owner-fields.ts'
import { microsecondsOf } from '../../domain/query/parse-timestamp.ts'
import type { Cell } from '../sql-parts.ts'

export { isOwnerField, ownerFields, type OwnerField } from '../../domain/inventory/owner-fields.ts'

/**
 * How a field is stored for queries: shared words by their dictionary code, texts unchanged with a
 * folded column beside them. Names of owners are not stored, because identity has them.
 */
export type StorageClass = 'dictionary' | 'text' | 'lowercase' | 'number' | 'boolean' | 'timestamp'

/** Aliases of fields. */
const aliases = {
  cloudregion: 'region',
  region_id: 'cloudregion_id',
  tenant_id: 'project_id',
} as const satisfies Partial<Record<Field, Field>>

/** A field with a column of its own. */
export type Column = Exclude<Field, OwnerField | keyof typeof aliases>

const texts: ReadonlySet<string> = new Set([
  'description',
  'disks',
  'eip',
  'external_id',
  'ips',
  'name',
  'networks',
  'virtual_ips',
])

/** Fields that are always lower case and need no folded column. */
const lowercaseColumns: ReadonlySet<string> = new Set(['id', 'status'])

export const columnOf = (field: Exclude<Field, OwnerField>): Column =>
  Object.hasOwn(aliases, field) ? aliases[field as keyof typeof aliases] : (field as Column)

export function storageClassOf(column: Column): StorageClass {
  const kind = fields[column]
  if (kind !== 'text') return kind
  if (lowercaseColumns.has(column)) return 'lowercase'
  return texts.has(column) ? 'text' : 'dictionary'
}

/** The columns of all fields, in a fixed order. */
export const columns: readonly Column[] = (Object.keys(fields) as Field[]).filter(
  (field): field is Column => !isOwnerField(field) && !Object.hasOwn(aliases, field),
)

export const columnsOfClass = (storageClass: StorageClass): readonly Column[] =>
  columns.filter((column) => storageClassOf(column) === storageClass)

/** The stored value of a field that is not in the dictionary. */
export const cellOf = (value: Server[Column], storageClass: StorageClass): Cell => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (storageClass === 'timestamp') return value === null ? null : microsecondsOf(value as string)
  return value
}
