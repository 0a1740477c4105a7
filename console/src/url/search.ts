/** The query string of the address, as flat texts that people can read and edit. */
export type Search = Readonly<Record<string, string | undefined>>

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Escapes as little as possible, so that `?q=status:running+ip:10.4.0.0/16` stays readable. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '',
  )
  const text = new URLSearchParams(pairs).toString()
  const plain = text.replaceAll(/%(3A|2F|2C|3D|40)/g, (escape) => decodeURIComponent(escape))
  return plain === '' ? '' : `?${plain}`
}
