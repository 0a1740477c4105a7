import { nameKey } from '../../domain/name-key.ts'
import type { ResourceKind, Resources } from '../../domain/identity/administration/resources.ts'
import { readBoolean } from '../boolean.ts'
import type { Tables } from '../tables.ts'
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
  write: (value) => JSON.stringify(value),
  read: (cell) => JSON.parse(cell as string) as unknown,
}

type Columns<K extends ResourceKind> = Readonly<Record<keyof Resources[K], Codec>>

const common = { id: plain, name: plain, created_at: plain }

const columns: { readonly [K in ResourceKind]: Columns<K> } = {
  domains: { ...common, description: plain, enabled: boolean },
  projects: { ...common, domain_id: plain, description: plain, enabled: boolean },
  users: {
    ...common,
    domain_id: plain,
    description: plain,
    enabled: boolean,
    displayname: plain,
    email: plain,
    mobile: plain,
    default_project_id: plain,
    password_expires_at: plain,
    expires_at: plain,
  },
  groups: { ...common, domain_id: plain, description: plain },
  roles: { ...common, description: plain },
  policies: { ...common, scope: plain, enabled: boolean, rules: json },
  credentials: {
    ...common,
    user_id: plain,
    project_id: plain,
    enabled: boolean,
    expires_at: plain,
    last_used_at: plain,
    last_used_ip: plain,
  },
  identity_providers: {
    ...common,
    driver: plain,
    options: json,
    domain_id: plain,
    enabled: boolean,
    mapping: json,
  },
}

/** The table of a kind of resource. */
export const tableOf = (kind: ResourceKind): keyof Tables =>
  kind === 'credentials' ? 'access_keys' : kind

export const columnsOf = (kind: ResourceKind): string[] => Object.keys(columns[kind])

export const toResource = <K extends ResourceKind>(kind: K, row: Row): Resources[K] =>
  Object.fromEntries(
    Object.entries<Codec>(columns[kind]).map(([key, codec]) => [key, codec.read(row[key] ?? null)]),
  ) as unknown as Resources[K]

/** Secret fields have no codec and are stored as they are. */
export function toRow(kind: ResourceKind, resource: object): Row {
  const codecs = columns[kind] as Readonly<Record<string, Codec>>
  const row: Row = {}
  for (const [key, value] of Object.entries(resource)) {
    row[key] = (codecs[key] ?? plain).write(value)
  }
  if (typeof row['name'] === 'string') row['name_key'] = nameKey(row['name'])
  if (kind === 'policies' && typeof row['rules'] === 'string') {
    Object.assign(row, policyFlags(row['rules']))
  }
  // Roles belong to no domain; their rows name the default one.
  if (kind === 'roles' && 'id' in resource) row['domain_id'] = 'default'
  return row
}
