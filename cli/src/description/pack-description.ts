import type { Description, OperationFacts, PackedDescription, Parameter } from './description.ts'

function mapFields<From, To>(
  operation: OperationFacts<From>,
  map: (field: From) => To,
): OperationFacts<To> {
  const { query, body, answer, ...rest } = operation
  return {
    ...rest,
    query: query.map(map),
    ...(body && { body: { ...body, fields: body.fields.map(map) } }),
    ...(answer && { answer: { ...answer, fields: answer.fields.map(map) } }),
  }
}

export function packDescription({ operations, nouns }: Description): PackedDescription {
  const positions = new Map<string, number>()
  const position = (field: Parameter): number => {
    const text = JSON.stringify(field)
    const found = positions.get(text) ?? positions.size
    positions.set(text, found)
    return found
  }
  const packed = Object.entries(operations).map(
    ([id, operation]) => [id, mapFields(operation, position)] as const,
  )
  return {
    parameters: [...positions.keys()].map((text) => JSON.parse(text) as Parameter),
    operations: Object.fromEntries(packed),
    nouns,
  }
}

/** Operations are unpacked when they are used. A command uses one or two. */
export function unpackDescription(packed: PackedDescription): Description {
  const { parameters, nouns } = packed
  const operations = new Proxy(packed.operations, {
    get: (stored, id: string) => {
      const operation = stored[id]
      return operation && mapFields(operation, (position) => parameters[position] as Parameter)
    },
  }) as unknown as Description['operations']
  return { operations, nouns }
}
