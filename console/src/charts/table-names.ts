/** The charts that are shown as tables, as the address has them: `table=region,project`. */
const namesIn = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((name) => name !== '')

export const isTable = (text: string | undefined, name: string): boolean =>
  namesIn(text).includes(name)

/** With this one turned over; empty where then none is a table. */
export function toggleTable(text: string | undefined, name: string): string {
  const names = namesIn(text)
  const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name]
  return next.join(',')
}
