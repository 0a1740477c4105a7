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

/** What a form asks of a kind of entity. */
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
  /** Asked once, when it is made: it stays as it is. */
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

/** What stands in a form before anything is typed: what the entity has, or next to nothing. */
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

/** The body that makes an entity: what was left empty is left out. */
export function toNew(fields: readonly Field[], values: FormValues): Values {
  return Object.fromEntries(
    fields
      .filter(({ name }) => values[name] !== '')
      .map((field) => [field.name, toWire(field, values[field.name])]),
  )
}

/** The body that changes an entity: only what is another now; undefined where nothing is. */
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
