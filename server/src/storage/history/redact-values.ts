type Json = Readonly<Record<string, unknown>>
export type Replace = (value: unknown) => unknown

/** Replaces texts below keys of these names, also deep within. */
function redactBelow(
  value: unknown,
  names: readonly string[],
  replace: Replace,
  isBelow = false,
): unknown {
  if (Array.isArray(value)) {
    return value.map((each: unknown) => redactBelow(each, names, replace, isBelow))
  }
  if (typeof value !== 'object' || value === null) return isBelow ? replace(value) : value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      redactBelow(each, names, replace, isBelow || names.includes(key)),
    ]),
  )
}

/** Replaces texts in JSON below keys of these names. The same text if nothing has the value. */
export function redactJson(json: string, names: readonly string[], replace: Replace): string {
  if (json === '') return json
  const value: unknown = JSON.parse(json)
  const redacted = JSON.stringify(redactBelow(value, names, replace))
  return redacted === JSON.stringify(value) ? json : redacted
}

/** Only keys of the difference itself count: disks and NICs have names, too. */
export function redactDiff(json: string, names: readonly string[], replace: Replace): string {
  const diff = JSON.parse(json) as Json
  const redacted = Object.entries(diff).map(([key, pair]) => [
    key,
    names.includes(key) ? redactBelow(pair, [], replace, true) : pair,
  ])
  const text = JSON.stringify(Object.fromEntries(redacted))
  return text === JSON.stringify(diff) ? json : text
}

/** An event of an action has its parameters, and the error of the source may quote them. */
export function redactEvent(json: string, field: string, replace: Replace): string {
  const redacted = redactDiff(json, [field, `params.${field}`], replace)
  return redacted === json ? json : redactDiff(redacted, ['error'], replace)
}
