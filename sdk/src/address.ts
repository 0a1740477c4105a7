type Value = string | number | boolean | object | null | undefined

/** A path with its parameters filled in; one that would make another path of it is refused. */
export const fillPath = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? ''
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`"${value}" cannot be the ${name} in ${path}`)
    }
    return encodeURIComponent(value)
  })

/** A list is its name repeated, an object is numbered and dotted, undefined is left out. */
function* spell(name: string, value: Value | readonly Value[]): Generator<[string, string]> {
  if (value === undefined || value === null) return
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    for (const item of value as readonly Value[]) yield* spell(name, item)
  } else if (typeof value === 'object') {
    for (const [key, part] of Object.entries(value)) yield* spell(`${name}.${key}`, part as Value)
  } else yield [name, String(value)]
}

/** With its question mark; nothing where there is nothing to ask. */
export function renderQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [...spell(name, value as Value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}
