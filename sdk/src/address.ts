type Value = string | number | boolean | object | null | undefined

/** Fills in the path parameters. Throws for values that would change the path, such as `..`. */
export const fillPath = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? ''
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`"${value}" cannot be the ${name} in ${path}`)
    }
    return encodeURIComponent(value)
  })

/** Lists repeat the name, nested values use dotted names, undefined is omitted. */
function* toPairs(name: string, value: Value | readonly Value[]): Generator<[string, string]> {
  if (value === undefined || value === null) return
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    for (const item of value as readonly Value[]) yield* toPairs(name, item)
  } else if (typeof value === 'object') {
    for (const [key, part] of Object.entries(value)) yield* toPairs(`${name}.${key}`, part as Value)
  } else yield [name, String(value)]
}

/** The query string with its question mark, or an empty string. */
export function renderQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [...toPairs(name, value as Value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}
