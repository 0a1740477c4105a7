import type { Token } from '@muster/contract'

/** Fields that are the same objects in all tokens of one user and scope. */
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

/** Renders the body of a token response. The JSON of the shared fields, which are most of it, is cached. */
export function renderTokenBody(token: Token): string {
  const members = Object.entries(token).map(([key, part]) =>
    sharedKeys.has(key)
      ? `"${key}":${renderShared(part as object)}`
      : `"${key}":${JSON.stringify(part)}`,
  )
  return `{"token":{${members.join(',')}}}`
}
