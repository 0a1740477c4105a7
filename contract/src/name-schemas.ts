const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const isObject = (node: unknown): node is Readonly<Record<string, unknown>> =>
  typeof node === 'object' && node !== null

/**
 * Moves each schema with a title to the components of the document, and puts a reference in its place. Client
 * generators then make one type of it, instead of one for each operation.
 */
export function createSchemaNames() {
  const schemas: Record<string, unknown> = {}

  function refer(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(refer)
    if (!isObject(node)) return node
    const { title } = node
    if (typeof title !== 'string') return mapValues(node, refer)
    schemas[title] ??= mapValues(node, refer)
    return reference(title)
  }

  return {
    schemas,
    /** The part of a document, with references inside each `schema`. */
    referWithin<Part>(part: Part): Part {
      const visit = (node: unknown): unknown => {
        if (Array.isArray(node)) return node.map(visit)
        if (!isObject(node)) return node
        return mapValues(node, (value, key) => (key === 'schema' ? refer(value) : visit(value)))
      }
      return visit(part) as Part
    },
  }
}

const mapValues = (
  node: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => unknown,
) => Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]))
