const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The differences between the responses of two versions, one per line. New keys do not count, because
 * responses may grow.
 */
export function differencesBetween(older: unknown, newer: unknown, path = ''): string[] {
  if (isObject(older) && isObject(newer)) {
    return Object.keys(older).flatMap((key) =>
      key in newer
        ? differencesBetween(older[key], newer[key], `${path}.${key}`)
        : [`${path}.${key} is missing`],
    )
  }
  if (Array.isArray(older) && Array.isArray(newer)) {
    if (older.length !== newer.length) {
      return [`${path} has ${newer.length} entries, not ${older.length}`]
    }
    return older.flatMap((entry, index) =>
      differencesBetween(entry, newer[index], `${path}[${index}]`),
    )
  }
  return Object.is(older, newer)
    ? []
    : [`${path} is ${JSON.stringify(newer)}, not ${JSON.stringify(older)}`]
}
