import { findAuthorizedScope } from './authorized-scope.ts'
import type { Principal } from './principal.ts'
import { covers, type AuthorizedScope } from '../scope.ts'

interface Person {
  readonly id: string
  readonly domain_id: string
  /** Of a service account. */
  readonly owner_id?: string | null
}

const toRead = { service: 'identity', resource: 'users', at: ['system', 'domain', 'self'] } as const

/**
 * Whether a caller sees how to contact a user, and the last login: their own, those of their service
 * accounts, and those of users they may read at the level of a domain or above. Sharing a project is not enough.
 */
export function createSeesContacts(principal: Principal): (person: Person) => boolean {
  const scopes = contactScopes(principal)
  return ({ id, domain_id, owner_id }) =>
    scopes.some(
      ({ scope, self }) =>
        (self !== undefined && (id === self || owner_id === self)) ||
        covers(scope, { projectId: '', domainId: domain_id }),
    )
}

/** Where the caller sees the contacts of users. Filters on contacts are restricted to it, too. */
export const contactScopes = (principal: Principal): readonly AuthorizedScope[] =>
  (['list', 'get'] as const).map((action) => findAuthorizedScope(principal, { ...toRead, action }))

/** Removes the contact fields, and the last login, that the caller may not see. */
export function createHideContacts(principal: Principal) {
  const seesContacts = createSeesContacts(principal)
  return <User extends Person>(user: User): User =>
    seesContacts(user)
      ? user
      : { ...user, email: '', mobile: '', last_login_at: null, attention: '' }
}
