import { badField } from '../domain/error.ts'

/** The part of a JSON schema that is needed to parse a parameter. */
export interface ParameterSchema {
  readonly type?: string
  readonly items?: ParameterSchema
  readonly properties?: Readonly<Record<string, ParameterSchema>>
}

/** One value of a parameter and its path: in `tags.0.key=env` the path is `0`, `key`. */
export interface Given {
  readonly steps: readonly string[]
  readonly text: string | undefined
}

const isNumber = (step: string) => /^\d{1,4}$/.test(step)

/** Returns the path if it exists in the schema: numbers index lists, names index objects. */
export function stepsTo(
  schema: ParameterSchema,
  steps: readonly string[],
): readonly string[] | undefined {
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
export function assembleParameter(
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
