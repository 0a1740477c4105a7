import { isApiError } from '@muster/sdk'

export type Problems = Readonly<Record<string, string>>

/**
 * The API's field errors by the names of a form's fields: `user.name` becomes `name`, and
 * `policy.rules.0.resource` becomes `rules.0.resource`. `steps` limits the length of the path. The
 * first error of a field wins.
 */
export function problemsOf(error: unknown, key: string, steps = Infinity): Problems {
  if (!isApiError(error)) return {}
  const found = error.fields
    .map(({ path, problem }) => ({ path: path.split('.'), problem }))
    .filter(({ path: [first, second] }) => first === key && second !== undefined)
    .map(({ path, problem }) => [path.slice(1, 1 + steps).join('.'), problem])
  return Object.fromEntries(found.toReversed())
}

/** Whether the named fields cover all field errors of the API. */
export function isShownByFields(error: unknown, key: string, names: readonly string[]): boolean {
  if (!isApiError(error) || error.fields.length === 0) return false
  const homes = names.map((name) => `${key}.${name}`)
  return error.fields.every(({ path }) =>
    homes.some((home) => path === home || path.startsWith(`${home}.`)),
  )
}
