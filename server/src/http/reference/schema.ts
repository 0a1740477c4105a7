import { html, joined, prose, type Html, type Insertable } from './html.ts'

/** The words of JSON Schema that the reference explains. */
export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** Whose body it is: a request marks what must be there, an answer what may be missing. */
type Direction = 'request' | 'answer'

interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

/** The type of a value, in words. */
export function typeName(schema: Schema): string {
  if (schema.anyOf) return unique(schema.anyOf.map(typeName)).join(' or ')
  if (schema.enum) return unique(schema.enum.map(nameOfValue)).join(' or ')
  if (schema.const !== undefined) return nameOfValue(schema.const)
  if (schema.type === 'array') {
    return schema.items ? `array of ${plural(typeName(schema.items))}` : 'array'
  }
  const [valueOfAnyKey] = Object.values(schema.patternProperties ?? {})
  if (valueOfAnyKey) return `map to ${plural(typeName(valueOfAnyKey))}`
  return schema.type ?? 'any value'
}

const unique = (names: readonly string[]) => [...new Set(names)]
const nameOfValue = (value: unknown) => (value === null ? 'null' : typeof value)
const plural = (name: string) =>
  /^(string|integer|number|boolean|object)$/.test(name) ? `${name}s` : name

/** What a value must keep to besides its type: each limit in words. */
function limitsOf(schema: Schema): Insertable[] {
  const { enum: choices, minLength, maxLength, minItems, maxItems, minimum, maximum } = schema
  const example = schema.examples?.[0]
  const own: Insertable[] = [
    choices && ['one of ', joined(choices.map(codeOf), ', ')],
    schema.const !== undefined && ['always ', codeOf(schema.const)],
    range(minLength, maxLength, 'character'),
    range(minItems, maxItems, 'item'),
    range(minimum, maximum),
    schema.format,
    // A format says the same in fewer signs.
    schema.format === undefined &&
      schema.pattern !== undefined && ['matches ', codeOf(schema.pattern)],
    schema.default !== undefined && ['default ', codeOf(schema.default)],
    example !== undefined && ['for example ', codeOf(example)],
  ]
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  return [...own, ...inner.flatMap(limitsOf)].filter(Boolean)
}

const codeOf = (value: unknown) =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

function range(least: number | undefined, most: number | undefined, unit = ''): string | undefined {
  const counted = (count: number) =>
    `${count.toLocaleString('en')}${unit && ` ${unit}${count === 1 ? '' : 's'}`}`
  if (least === undefined) return most === undefined ? undefined : `at most ${counted(most)}`
  if (most === undefined) return `at least ${counted(least)}`
  return least === most
    ? `exactly ${counted(most)}`
    : `${least.toLocaleString('en')}–${counted(most)}`
}

/** The fields inside a value, be it an object, a list of them, or one of several shapes. */
function fieldsOf(schema: Schema): Field[] {
  const required = new Set(schema.required)
  const own = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    required: required.has(name),
  }))
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? []),
    ...Object.values(schema.patternProperties ?? {}),
  ]
  return [...own, ...inner.flatMap(fieldsOf)]
}

/** A body as a tree of its fields; nothing if it has none. */
export function renderFieldTree(schema: Schema, direction: Direction, depth = 0): Html | undefined {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return undefined
  // Safari forgets that a list without bullets is a list.
  return html`<ul class="fields" role="list">
    ${fields.map((field) => renderField(field, direction, depth))}
  </ul>`
}

function renderField(field: Field, direction: Direction, depth: number): Html {
  const { name, schema } = field
  const line = html`<code>${name}</code> ${renderKind(schema, marker(field, direction))}`
  const children = renderFieldTree(schema, direction, depth + 1)
  if (!children) {
    return html`<li>
      <p>${line}</p>
      ${prose(schema.description)}
    </li>`
  }
  // A request is to be filled in and shows everything; an answer is looked up field by field.
  const open = direction === 'request' || depth === 0
  return html`<li>
    <details ${open && 'open'}>
      <summary>${line}</summary>
      ${prose(schema.description)} ${children}
    </details>
  </li>`
}

function marker({ required }: Field, direction: Direction): Insertable {
  if (direction === 'request') return required && requiredMarker
  return !required && html`<em>optional</em>`
}

export const requiredMarker = html`<strong>required</strong>`

/** What kind of value it is, on one line: type, marker and limits. */
export const renderKind = (schema: Schema, marker: Insertable): Html =>
  html`<span class="type">${typeName(schema)}</span> ${marker}
    ${limitsOf(schema).map((limit) => html`<span class="limit">${limit}</span> `)}`
