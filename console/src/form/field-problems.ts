import { isApiError } from '@muster/sdk'

export type Problems = Readonly<Record<string, string>>

/**
 * What the API found wrong, by the names of a form's fields: `user.name` lands on `name`, and
 * `policy.rules.0.resource` on `rules.0.resource`, or after so many steps as a form has. The first
 * word on a field is the one that counts.
 */
export function problemsOf(error: unknown, key: string, steps = Infinity): Problems {
  if (!isApiError(error)) return {}
  const found = error.fields
    .map(({ path, problem }) => ({ path: path.split('.'), problem }))
    .filter(({ path: [first, second] }) => first === key && second !== undefined)
    .map(({ path, problem }) => [path.slice(1, 1 + steps).join('.'), problem])
  return Object.fromEntries(found.toReversed())
}

/** Whether the fields of a form, and what is inside them, tell all of an error. */
export function isShownByFields(error: unknown, key: string, names: readonly string[]): boolean {
  if (!isApiError(error) || error.fields.length === 0) return false
  const homes = names.map((name) => `${key}.${name}`)
  return error.fields.every(({ path }) =>
    homes.some((home) => path === home || path.startsWith(`${home}.`)),
  )
}
