import type { Operation, QueryOf } from '@muster/contract'
import { badField, PlatformError } from '../domain/error.ts'
import { didYouMean } from '../domain/nearest.ts'
import { compileSchema, invalidInput } from './validate.ts'

/** The part of a JSON schema that is needed to parse a parameter. */
interface ParameterSchema {
  readonly type?: string
  readonly items?: ParameterSchema
  readonly properties?: Readonly<Record<string, ParameterSchema>>
}

/** One value of a parameter and its path: in `tags.0.key=env` the path is `0`, `key`. */
interface Given {
  readonly steps: readonly string[]
  readonly text: string | undefined
}

const isNumber = (step: string) => /^\d{1,4}$/.test(step)

/** Returns the path if it exists in the schema: numbers index lists, names index objects. */
function stepsTo(schema: ParameterSchema, steps: readonly string[]): readonly string[] | undefined {
  let current: ParameterSchema | undefined = schema
  for (const step of steps) {
    if (current?.type === 'array' && isNumber(step)) current = current.items
    else if (current?.properties && Object.hasOwn(current.properties, step)) {
      current = current.properties[step]
    } else return undefined
  }
  return steps.length > 0 ? steps : undefined
}

/** Includes the spelling of Python, which Keystone clients send. */
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  '1': true,
  false: false,
  False: false,
  '0': false,
}

function convert(name: string, text: string | undefined, type: string | undefined): unknown {
  if (type === 'boolean') {
    // A boolean parameter without a value is true.
    if (text === undefined) return true
    const boolean = Object.hasOwn(booleans, text) ? booleans[text] : undefined
    if (boolean === undefined) throw badField(name, 'must be true or false')
    return boolean
  }
  if (type === 'integer') {
    if (!/^-?\d{1,15}$/.test(text ?? '')) throw badField(name, 'must be an integer')
    return Number(text)
  }
  return text ?? ''
}

/** Groups values by the first step of their path and removes that step. */
function groupByStep(given: readonly Given[]): Map<string, Given[]> {
  const groups = new Map<string, Given[]>()
  for (const { steps, text } of given) {
    const [first = '', ...rest] = steps
    // Normalizes 07 to 7.
    const key = isNumber(first) ? String(Number(first)) : first
    const group = groups.get(key)
    if (group) group.push({ steps: rest, text })
    else groups.set(key, [{ steps: rest, text }])
  }
  return groups
}

function assembleList(name: string, items: ParameterSchema, given: readonly Given[]): unknown[] {
  const plain = given.filter(({ steps }) => steps.length === 0)
  if (plain.length === given.length) return plain.map(({ text }) => convert(name, text, items.type))
  if (plain.length > 0) throw badField(name, 'mixes numbered and unnumbered values')
  return [...groupByStep(given)]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([number, members]) => assembleParameter(`${name}.${number}`, items, members))
}

/** Builds one value from all occurrences of a parameter. Lists are repeated or numbered, anything else occurs once. */
function assembleParameter(
  name: string,
  schema: ParameterSchema,
  given: readonly Given[],
): unknown {
  if (schema.type === 'array') return assembleList(name, schema.items ?? {}, given)
  const [first] = given
  if (schema.properties && first && first.steps.length > 0) {
    return Object.fromEntries(
      [...groupByStep(given)].map(([key, members]) => [
        key,
        assembleParameter(`${name}.${key}`, schema.properties?.[key] ?? {}, members),
      ]),
    )
  }
  if (given.length > 1) throw badField(name, 'is given twice')
  return convert(name, first?.text, schema.type)
}

function decode(text: string, parameter = 'query'): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new PlatformError('InvalidFormatError', 'The query is not valid percent-encoded UTF-8.', {
      cause,
    })
  }
  if (decoded.includes('\0')) {
    throw badField(parameter, 'contains a NUL character')
  }
  return decoded
}

type Schemas = Readonly<Record<string, ParameterSchema>>

/** Splits a key into the name of a parameter and the path inside it. */
function find(key: string, schemas: Schemas): { name: string; steps: readonly string[] } {
  const schemaOf = (name: string) => (Object.hasOwn(schemas, name) ? schemas[name] : undefined)
  if (schemaOf(key)) return { name: key, steps: [] }
  // Some clients, such as axios, append brackets to the name of each parameter with several values.
  const list = key.endsWith('[]') ? key.slice(0, -2) : key
  if (schemaOf(list)?.type === 'array') return { name: list, steps: [] }
  const [name = '', ...path] = key.split('.', 8)
  const schema = schemaOf(name)
  const steps = schema && stepsTo(schema, path)
  if (!steps) {
    throw badField(key, `is not a known parameter${didYouMean(name, Object.keys(schemas))}`)
  }
  return { name, steps }
}

/** Collects the values of each parameter in the order of the query string. */
function collect(query: string, schemas: Schemas): Map<string, Given[]> {
  const collected = new Map<string, Given[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const end = pair.indexOf('=')
    const { name, steps } = find(decode(end === -1 ? pair : pair.slice(0, end)), schemas)
    const given = { steps, text: end === -1 ? undefined : decode(pair.slice(end + 1), name) }
    const others = collected.get(name)
    if (others) others.push(given)
    else collected.set(name, [given])
  }
  return collected
}

/**
 * Parses the query string of an operation by its schema. An unknown parameter is an error, and so
 * is a repeated parameter that takes a single value.
 */
export function createQueryReader<Op extends Pick<Operation, 'id' | 'query'>>({
  query: schema,
}: Op) {
  const schemas: Schemas = schema?.properties ?? {}
  const compiled = schema && compileSchema(schema)

  return function readQuery(url: string): QueryOf<Op> {
    const start = url.indexOf('?')
    if (start === -1 || start === url.length - 1) return {} as QueryOf<Op>
    const parameters = Object.fromEntries(
      [...collect(url.slice(start + 1), schemas)].map(([name, given]) => [
        name,
        assembleParameter(name, schemas[name] ?? {}, given),
      ]),
    )
    const check = compiled?.()
    if (check && !check(parameters)) throw invalidInput('query', parameters, check.errors ?? [])
    return parameters as QueryOf<Op>
  }
}
