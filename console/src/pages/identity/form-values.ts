import type { PolicyRule } from '@muster/contract'
import type { Kind } from '../../api/kind-operations.ts'
import type { Values } from '../../api/entities.ts'
import { fromLocalDateTime, toLocalDateTime } from '../../form/local-date-time.ts'

type FieldName =
  | 'name'
  | 'description'
  | 'domain_id'
  | 'displayname'
  | 'email'
  | 'mobile'
  | 'default_project_id'
  | 'expires_at'
  | 'password'
  | 'scope'
  | 'rules'

/** A field of an entity's form. */
export interface Field {
  readonly name: FieldName
  readonly input:
    | 'text'
    | 'long'
    | 'password'
    | 'dateTime'
    | 'rules'
    | 'domain'
    | 'project'
    | 'scope'
  readonly required?: boolean
  /** Only set at creation. */
  readonly once?: boolean
}

const name: Field = { name: 'name', input: 'text', required: true }
const description: Field = { name: 'description', input: 'long' }
const domain: Field = { name: 'domain_id', input: 'domain', required: true, once: true }

export const fieldsOf: Readonly<Record<Kind, readonly Field[]>> = {
  projects: [name, domain, description],
  users: [
    name,
    domain,
    { name: 'password', input: 'password', once: true },
    { name: 'displayname', input: 'text' },
    { name: 'email', input: 'text' },
    { name: 'mobile', input: 'text' },
    { name: 'default_project_id', input: 'project' },
    { name: 'expires_at', input: 'dateTime' },
    description,
  ],
  groups: [name, domain, description],
  roles: [name, description],
  policies: [
    name,
    { name: 'scope', input: 'scope', required: true, once: true },
    { name: 'rules', input: 'rules', required: true },
  ],
  domains: [name, description],
}

export type FormValue = string | readonly PolicyRule[]
export type FormValues = Readonly<Record<string, FormValue>>

export const newRule: PolicyRule = {
  service: 'compute',
  resource: 'servers',
  action: 'list',
  effect: 'allow',
}

/** The initial values of a form: the entity's, or defaults. */
export function startValues(
  fields: readonly Field[],
  entity: Values | undefined,
  defaults: FormValues = {},
): FormValues {
  return Object.fromEntries(
    fields.map(({ name, input }): [string, FormValue] => {
      const value = entity ? entity[name] : defaults[name]
      if (input === 'rules')
        return [name, (value as readonly PolicyRule[] | undefined) ?? [newRule]]
      if (input === 'dateTime') return [name, toLocalDateTime(value as string | null | undefined)]
      return [name, typeof value === 'string' ? value : '']
    }),
  )
}

function toWire({ input }: Field, value: FormValue | undefined): unknown {
  if (typeof value !== 'string') return value
  if (input === 'dateTime') return fromLocalDateTime(value) ?? null
  return input === 'project' && value === '' ? null : value
}

/** The request body to create an entity, without empty fields. */
export function toNew(fields: readonly Field[], values: FormValues): Values {
  return Object.fromEntries(
    fields
      .filter(({ name }) => values[name] !== '')
      .map((field) => [field.name, toWire(field, values[field.name])]),
  )
}

/** The request body to update an entity: only changed fields; undefined if there are none. */
export function toChanges(
  fields: readonly Field[],
  before: FormValues,
  values: FormValues,
): Values | undefined {
  const changed = fields.filter(
    ({ name }) => JSON.stringify(before[name]) !== JSON.stringify(values[name]),
  )
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map((field) => [field.name, toWire(field, values[field.name])]))
}
