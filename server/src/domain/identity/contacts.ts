import { findAuthorizedScope } from './authorized-scope.ts'
import type { Principal } from './principal.ts'

interface Person {
  readonly id: string
  readonly domain_id: string
}

const toRead = { service: 'identity', resource: 'users', at: ['system', 'domain'] } as const

/**
 * Whether a caller sees how to contact a user: their own e-mail and mobile, and those of users they
 * may read at the level of a domain or above. Sharing a project is not enough.
 */
export function createSeesContacts(principal: Principal): (person: Person) => boolean {
  const scopes = (['list', 'get'] as const).map(
    (action) => findAuthorizedScope(principal, { ...toRead, action }).scope,
  )
  return ({ id, domain_id }) =>
    id === principal.token.userId ||
    scopes.some(
      (scope) =>
        scope.kind === 'system' || (scope.kind === 'domain' && scope.domainId === domain_id),
    )
}

/** Removes the contact fields that the caller may not see. */
export function createHideContacts(principal: Principal) {
  const seesContacts = createSeesContacts(principal)
  return <User extends Person>(user: User): User =>
    seesContacts(user) ? user : { ...user, email: '', mobile: '' }
}
