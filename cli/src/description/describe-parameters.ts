import type { Parameter, ParameterType } from './description.ts'

/** The part of a JSON schema that matters here. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

const simpleTypes: Readonly<Record<string, ParameterType>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
}

type Shape = Pick<Parameter, 'type' | 'isList' | 'values'>

function shapeOf(schema: Schema): Shape {
  if (schema.enum) return { type: 'text', values: schema.enum.map(String) }
  if (schema.type === 'array') {
    const item = shapeOf(schema.items ?? {})
    return { ...item, isList: true }
  }
  const first = schema.anyOf?.find(({ type }) => type !== 'null')
  if (first) return shapeOf(first)
  return { type: simpleTypes[schema.type ?? typeof schema.const] ?? 'object' }
}

/** The properties of an object, as flags and as columns. */
export const describeParameters = ({ properties = {}, required = [] }: Schema): Parameter[] =>
  Object.entries(properties)
    .filter(([, { type }]) => type !== 'null')
    .map(([name, schema]) => ({
      name,
      ...shapeOf(schema),
      ...(required.includes(name) && { isRequired: true as const }),
      ...(schema.description !== undefined && { description: schema.description }),
    }))
