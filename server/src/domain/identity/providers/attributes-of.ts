import type { Claims } from '../provider-driver.ts'

const deepest = 4

function addAttributes(found: Map<string, string[]>, claims: Claims, prefix = '', depth = 0): void {
  for (const [name, value] of Object.entries(claims)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof item === 'object' && item !== null) {
        if (depth < deepest) addAttributes(found, item as Claims, `${prefix}${name}.`, depth + 1)
      } else if (item !== null && item !== undefined) {
        const text = typeof item === 'string' ? item : JSON.stringify(item)
        const values = found.get(prefix + name)
        if (values) values.push(text)
        else found.set(prefix + name, [text])
      }
    }
  }
}

/**
 * The values of claims by name. A claim inside of an object has the names of both, joined by a dot,
 * such as Keycloak's `realm_access.roles`.
 */
export function attributesOf(claims: Claims): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  addAttributes(found, claims)
  return found
}
