export interface Choice {
  readonly id: string
  readonly name: string
  /** The name of its domain, where it has one. */
  readonly domain?: string
}

/** What is offered for typing: names, and where two are called alike, with their domains. */
export function labelsOf(choices: readonly Choice[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  for (const { name } of choices) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    choices.map(({ id, name, domain }) => {
      const isAlone = counts.get(name) === 1
      return [isAlone ? name : `${name} · ${domain ?? id}`, id]
    }),
  )
}

/**
 * The id of what was typed: one of the labels, or else an id itself. Not everyone may list all that
 * they may name, so an id that is not offered is taken too; the API knows whether there is such an entity.
 */
export function pick(text: string, choices: readonly Choice[]): string | undefined {
  const wanted = text.trim()
  if (wanted === '') return undefined
  const labels = labelsOf(choices)
  const exact = labels.get(wanted)
  if (exact !== undefined) return exact
  const lower = wanted.toLowerCase()
  const similar = [...labels].filter(([label]) => label.toLowerCase() === lower)
  if (similar.length === 1) return similar[0]?.[1]
  if (choices.some(({ id }) => id === wanted)) return wanted
  return /^[0-9a-f]{32}$/.test(wanted) ? wanted : undefined
}
