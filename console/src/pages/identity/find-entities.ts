interface Findable {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly displayname?: string
  readonly email?: string
}

/** Those in which every word of a text occurs, wherever a person would look for it. */
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

/** Found, and what was found elsewhere besides, each once. */
export function withOthers<Entity extends Findable>(
  found: readonly Entity[],
  others: readonly Entity[],
): readonly Entity[] {
  const ids = new Set(found.map(({ id }) => id))
  return [...found, ...others.filter(({ id }) => !ids.has(id))]
}
