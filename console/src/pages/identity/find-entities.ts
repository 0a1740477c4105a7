interface Findable {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly displayname?: string
  readonly email?: string
}

/** Entities that contain every word of the text. */
export function findEntities<Entity extends Findable>(
  entities: readonly Entity[],
  text: string,
): readonly Entity[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entities
  return entities.filter(({ id, name, description = '', displayname = '', email = '' }) => {
    const haystack = `${name} ${id} ${displayname} ${email} ${description}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

/** Merges two results without duplicates. */
export function withOthers<Entity extends Findable>(
  found: readonly Entity[],
  others: readonly Entity[],
): readonly Entity[] {
  const ids = new Set(found.map(({ id }) => id))
  return [...found, ...others.filter(({ id }) => !ids.has(id))]
}
