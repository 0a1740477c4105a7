import { badField } from '../domain/error.ts'

/** As much of a JSON schema as a parameter's text is read by. */
export interface ParameterSchema {
  readonly type?: string
  readonly items?: ParameterSchema
  readonly properties?: Readonly<Record<string, ParameterSchema>>
}

/** A value of a parameter, and where in it: `tags.0.key=env` is at the steps `0` and `key`. */
export interface Given {
  readonly steps: readonly string[]
  readonly text: string | undefined
}

const isNumber = (step: string) => /^\d{1,4}$/.test(step)

/** These steps as they are, if the schema has such a place: numbers into lists, names into objects. */
export function stepsTo(
  schema: ParameterSchema,
  steps: readonly string[],
): readonly string[] | undefined {
  let place: ParameterSchema | undefined = schema
  for (const step of steps) {
    if (place?.type === 'array' && isNumber(step)) place = place.items
    else if (place?.properties && Object.hasOwn(place.properties, step)) {
      place = place.properties[step]
    } else return undefined
  }
  return steps.length > 0 ? steps : undefined
}

/** Keystone's clients write some of these as Python does. */
const flags: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  '1': true,
  false: false,
  False: false,
  '0': false,
}

function convert(name: string, text: string | undefined, type: string | undefined): unknown {
  if (type === 'boolean') {
    // A flag may stand alone.
    if (text === undefined) return true
    const flag = Object.hasOwn(flags, text) ? flags[text] : undefined
    if (flag === undefined) throw badField(name, 'must be true or false')
    return flag
  }
  if (type === 'integer') {
    if (!/^-?\d{1,15}$/.test(text ?? '')) throw badField(name, 'must be an integer')
    return Number(text)
  }
  return text ?? ''
}

/** By the first of their steps, which is then behind them. */
function groupByStep(given: readonly Given[]): Map<string, Given[]> {
  const groups = new Map<string, Given[]>()
  for (const { steps, text } of given) {
    const [first = '', ...rest] = steps
    // 07 is 7.
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

/** One value of all that is given of a parameter: lists repeat or are numbered, anything else is there once. */
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
