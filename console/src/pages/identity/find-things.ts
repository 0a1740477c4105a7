interface Findable {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly displayname?: string
  readonly email?: string
}

/** Those in which every word of a text occurs, wherever a person would look for it. */
export function findThings<Thing extends Findable>(
  things: readonly Thing[],
  text: string,
): readonly Thing[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return things
  return things.filter(({ id, name, description = '', displayname = '', email = '' }) => {
    const haystack = `${name} ${id} ${displayname} ${email} ${description}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

/** Found, and what was found elsewhere besides, each once. */
export function withOthers<Thing extends Findable>(
  found: readonly Thing[],
  others: readonly Thing[],
): readonly Thing[] {
  const ids = new Set(found.map(({ id }) => id))
  return [...found, ...others.filter(({ id }) => !ids.has(id))]
}
