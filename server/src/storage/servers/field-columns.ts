import type { Server } from '@muster/contract'
import { fields, type Field } from '../../domain/inventory/fields.ts'

/**
 * How a field is kept for finding: a word by its code, since many servers share it; a text as it is,
 * with a folded form beside it; a name of an owner not at all, since identity has it.
 */
export type StorageClass = 'dictionary' | 'text' | 'lowercase' | 'number' | 'boolean' | 'timestamp'

/** Fields that are two names for one thing. */
const aliases = {
  cloudregion: 'region',
  region_id: 'cloudregion_id',
  tenant_id: 'project_id',
} as const satisfies Partial<Record<Field, Field>>

/** Names that identity keeps, by the id beside them: a new name is seen at once, and nothing is rewritten. */
export const ownerFields = {
  project: { id: 'project_id', name: 'project' },
  tenant: { id: 'project_id', name: 'project' },
  project_domain: { id: 'project_id', name: 'domain' },
  manager_project: { id: 'manager_project_id', name: 'project' },
  manager_domain: { id: 'manager_project_id', name: 'domain' },
} as const satisfies Partial<Record<Field, { id: Field; name: 'project' | 'domain' }>>
export type OwnerField = keyof typeof ownerFields

export const isOwnerField = (field: Field): field is OwnerField => Object.hasOwn(ownerFields, field)

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

/** Always in lower case, and sorted by: as it is, without a folded form. */
const lowercaseColumns: ReadonlySet<string> = new Set(['id', 'status'])

export const columnOf = (field: Exclude<Field, OwnerField>): Column =>
  Object.hasOwn(aliases, field) ? aliases[field as keyof typeof aliases] : (field as Column)

export function storageClassOf(column: Column): StorageClass {
  const kind = fields[column]
  if (kind !== 'text') return kind
  if (lowercaseColumns.has(column)) return 'lowercase'
  return texts.has(column) ? 'text' : 'dictionary'
}

/** Every column that is a field's, in one order. */
export const columns: readonly Column[] = (Object.keys(fields) as Field[]).filter(
  (field): field is Column => !isOwnerField(field) && !Object.hasOwn(aliases, field),
)

export const columnsOfClass = (storageClass: StorageClass): readonly Column[] =>
  columns.filter((column) => storageClassOf(column) === storageClass)

/** Text without regard to case: the same on both engines, since neither has a say in it. */
export const fold = (text: string): string => {
  // Each character by itself: a sigma is not another one at the end of a word, nor any character two.
  if (!ofTheirOwn.test(text)) return text.toLowerCase()
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}
const ofTheirOwn = /[Σςİ]/

/** Microseconds since 1970; six decimals, as the wire has them. */
function microseconds(timestamp: string): number {
  const milliseconds = Date.parse(`${timestamp.slice(0, 23)}Z`)
  return milliseconds * 1000 + Number(timestamp.slice(23, 26))
}

export type Cell = string | number | null

/** What a field's value is kept as, where it is no word. */
export const cellOf = (value: Server[Column], storageClass: StorageClass): Cell => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (storageClass === 'timestamp') return value === null ? null : microseconds(value as string)
  return value
}
