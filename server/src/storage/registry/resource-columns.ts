import {
  administeredResources,
  derivedFields,
  storedFields,
  type FieldType,
} from '@muster/contract'
import { nameKey } from '../../domain/name-key.ts'
import type { ResourceKind, Resources } from '../../domain/identity/administration/resources.ts'
import { readBoolean } from '../boolean.ts'
import { policyFlags } from './policy-flags.ts'

/** A value as both engines store it. */
type Cell = string | number | null
export type Row = Record<string, Cell>

interface Codec {
  readonly write: (value: unknown) => Cell
  readonly read: (cell: Cell) => unknown
}

const plain: Codec = { write: (value) => value as Cell, read: (cell) => cell }
const boolean: Codec = { write: (value) => Number(value), read: readBoolean }
const json: Codec = {
  write: (value) => (value === null ? null : JSON.stringify(value)),
  read: (cell) => (cell === null ? null : (JSON.parse(cell as string) as unknown)),
}

const codecs: Readonly<Record<FieldType, Codec>> = {
  text: plain,
  enum: plain,
  number: plain,
  timestamp: plain,
  boolean,
  object: json,
}

/** The columns follow from the descriptions. */
const columns = Object.fromEntries(
  Object.entries(administeredResources).map(([kind, resource]) => [
    kind,
    Object.fromEntries(
      storedFields(resource).map(([name, { type }]): [string, Codec] => [name, codecs[type]]),
    ),
  ]),
) as Readonly<Record<ResourceKind, Readonly<Record<string, Codec>>>>

/** The table of a kind of resource. */
export const tableOf = (kind: ResourceKind) => (kind === 'credentials' ? 'access_keys' : kind)

export const columnsOf = (kind: ResourceKind): string[] => Object.keys(columns[kind])

export const toResource = <K extends ResourceKind>(kind: K, row: Row): Resources[K] =>
  ({
    ...Object.fromEntries(
      Object.entries(columns[kind]).map(([key, codec]) => [key, codec.read(row[key] ?? null)]),
    ),
    ...Object.fromEntries(
      derivedFields(administeredResources[kind]).map((name) => [name, row[name]]),
    ),
  }) as unknown as Resources[K]

/** Secret fields have no codec and are stored as they are. */
export function toRow(kind: ResourceKind, resource: object): Row {
  const row: Row = {}
  for (const [key, value] of Object.entries(resource)) {
    row[key] = (columns[kind][key] ?? plain).write(value)
  }
  if (typeof row['name'] === 'string') row['name_key'] = nameKey(row['name'])
  if (kind === 'policies' && typeof row['rules'] === 'string') {
    Object.assign(row, policyFlags(row['rules']))
  }
  // Roles belong to no domain; their rows name the default one.
  if (kind === 'roles' && 'id' in resource) row['domain_id'] = 'default'
  return row
}
