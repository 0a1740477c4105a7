const acronyms = new Set(['id', 'ca', 'url', 'ip'])

/** The label of a provider's field: translated, or derived from its name. */
export function fieldLabel(name: string, known: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(known, name)) return known[name] ?? name
  const words = name.split('_').map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
