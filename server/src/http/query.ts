import type { Operation, QueryOf } from '@muster/contract'
import { badField, PlatformError } from '../domain/error.ts'
import { didYouMean } from '../domain/nearest.ts'
import { assembleParameter, stepsTo, type Given, type ParameterSchema } from './query-parameter.ts'
import { compileSchema, invalidInput } from './validate.ts'

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new PlatformError('InvalidFormatError', 'The query is not valid percent-encoded UTF-8.', {
      cause,
    })
  }
  if (decoded.includes('\0')) {
    throw new PlatformError('InvalidFormatError', 'The query contains a NUL character.')
  }
  return decoded
}

type Schemas = Readonly<Record<string, ParameterSchema>>

/** Splits a key into the name of a parameter and the path inside it. */
function find(key: string, schemas: Schemas): { name: string; steps: readonly string[] } {
  if (Object.hasOwn(schemas, key)) return { name: key, steps: [] }
  const [name = '', ...path] = key.split('.', 8)
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
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
    const given = { steps, text: end === -1 ? undefined : decode(pair.slice(end + 1)) }
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
