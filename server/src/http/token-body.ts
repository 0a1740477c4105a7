import type { Token } from '@muster/contract'

/** What tokens of one user and scope have in common, object for object. */
const sharedKeys: ReadonlySet<string> = new Set<keyof Token>([
  'catalog',
  'policies',
  'project',
  'projects',
  'role_assignments',
  'roles',
  'user',
])

const rendered = new WeakMap<object, string>()

function renderShared(part: object): string {
  let text = rendered.get(part)
  if (text === undefined) {
    text = JSON.stringify(part)
    rendered.set(part, text)
  }
  return text
}

/** The body of a token's answer. Its shared parts, the most of it, are rendered once and kept with them. */
export function renderTokenBody(token: Token): string {
  const members = Object.entries(token).map(([key, part]) =>
    sharedKeys.has(key)
      ? `"${key}":${renderShared(part as object)}`
      : `"${key}":${JSON.stringify(part)}`,
  )
  return `{"token":{${members.join(',')}}}`
}
