/** Words for readers, which would be most of the list of tools. The query language describes the fields. */
const notes = new Set(['title', 'description', 'examples'])

/** A schema without notes. Fields can have the names of notes. */
export function withoutNotes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNotes)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !notes.has(key))
      .map(([key, value]) => [
        key,
        key === 'properties'
          ? Object.fromEntries(
              Object.entries(value as object).map(([name, field]) => [name, withoutNotes(field)]),
            )
          : withoutNotes(value),
      ]),
  )
}
