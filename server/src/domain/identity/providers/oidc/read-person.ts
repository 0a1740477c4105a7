import { loginFailed } from '../../../error.ts'
import type { Claims, ExternalIdentity } from '../../provider-driver.ts'
import { attributesOf } from '../attributes-of.ts'

const longestSubject = 255
const longestText = 255

/** Deliberately a text: claims of other types are not names. */
function textOf(claims: Claims, name: string): string {
  const value = claims[name]
  return typeof value === 'string' && value.length <= longestText ? value : ''
}

/** An address that the provider did not verify neither names a person nor gives roles. */
function withoutUnverified(claims: Claims): Claims {
  const { email, ...others } = claims
  const isVerified = ![false, 'false'].includes(claims['email_verified'] as boolean | string)
  return isVerified || email === undefined ? claims : others
}

/** What the claims of a provider say about a person. */
export function readPerson(said: Claims, nameClaim: string): ExternalIdentity {
  const claims = withoutUnverified(said)
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject) {
    throw loginFailed('OIDC: no subject, or one that is too long')
  }
  // Instead of many groups, Entra ID names an address to ask. A mapping without them would revoke roles.
  const { _claim_names: elsewhere } = claims
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.keys(elsewhere).length > 0) {
    const names = Object.keys(elsewhere).join(', ').slice(0, longestText)
    throw loginFailed(`OIDC: too many values for the token in ${names}: send fewer of them`)
  }
  const session = textOf(claims, 'sid')
  return {
    subject: sub,
    ...(session !== '' && { session }),
    profile: {
      name: textOf(claims, nameClaim),
      displayname: textOf(claims, 'name'),
      email: textOf(claims, 'email'),
    },
    attributes: attributesOf(claims),
  }
}
