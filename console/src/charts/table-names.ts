/** The charts shown as tables, as in the address: `table=region,project`. */
const namesIn = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((name) => name !== '')

export const isTable = (text: string | undefined, name: string): boolean =>
  namesIn(text).includes(name)

/** Toggles one chart in the list. */
export function toggleTable(text: string | undefined, name: string): string {
  const names = namesIn(text)
  const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name]
  return next.join(',')
}
