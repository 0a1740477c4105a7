import type { PolicyRule } from '@muster/contract'
import {
  administeredResources,
  type AdministeredResources,
  type PageResource,
} from '@muster/contract/resources'
import type { Kind } from '../../api/kind-operations.ts'
import type { Values } from '../../api/entities.ts'
import { fromLocalDateTime, toLocalDateTime } from '../../form/local-date-time.ts'

type Forms = { readonly [K in Kind]: AdministeredResources[K]['form'] }
type FieldName = Forms[Kind]['fields'][number]

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
    | 'user'
  readonly required: boolean
  /** Only set at creation. */
  readonly once: boolean
}

/** Fields whose input does not follow from their type. */
const inputsByName: Readonly<Partial<Record<string, Field['input']>>> = {
  description: 'long',
  domain_id: 'domain',
  project_id: 'project',
  default_project_id: 'project',
  owner_id: 'user',
  password: 'password',
  rules: 'rules',
  scope: 'scope',
}

/** How a field of a kind is entered and shown. */
export function inputOf(kind: Kind, name: string): Field['input'] {
  const { fields, form }: PageResource = administeredResources[kind]
  if (form.long?.includes(name)) return 'long'
  return inputsByName[name] ?? (fields[name]?.type === 'timestamp' ? 'dateTime' : 'text')
}

/** What a service account has and a person does not, and the reverse. */
const ofServiceAccounts: ReadonlySet<string> = new Set(['owner_id', 'purpose'])
const ofPeople: ReadonlySet<string> = new Set(['password', 'displayname', 'email', 'mobile'])

/** The form of a kind, as its description has it. */
export function fieldsOf(kind: Kind, isServiceAccount = false): readonly Field[] {
  const { form }: PageResource = administeredResources[kind]
  const others = isServiceAccount ? ofPeople : ofServiceAccounts
  const names = form.fields.filter((name) => kind !== 'users' || !others.has(name))
  return names.map((name) => ({
    name: name as FieldName,
    input: inputOf(kind, name),
    required: form.required.includes(name),
    once: form.once.includes(name),
  }))
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
