export interface Choice {
  readonly id: string
  readonly name: string
  /** The name of its domain, if any. */
  readonly domain?: string
}

/** Labels to pick from: names, with the domain where a name repeats. */
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
 * Resolves a typed text to an ID: by label, or as an ID itself. Users may name entities that they
 * cannot list, so unknown IDs are accepted; the API checks them.
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
