import type { LdapEntry } from '../../ldap-session.ts'
import type { ExternalIdentity } from '../../provider-driver.ts'
import type { LdapOptions } from './ldap-options.ts'

/** What says that an account is disabled or has expired. */
const stateAttributes = [
  'userAccountControl',
  'accountExpires',
  'shadowExpire',
  'pwdAccountLockedTime',
  'nsAccountLock',
]

/** What is read of a person. */
export const personAttributes = ({ id_attribute, name_attribute }: LdapOptions) => [
  id_attribute,
  name_attribute,
  'displayName',
  'cn',
  'mail',
  ...stateAttributes,
]

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The values of an attribute as text. A server that sends only some of them is refused: roles would be lost. */
export function textsOf({ attributes }: LdapEntry, name: string): readonly string[] {
  const key = name.toLowerCase()
  const isPart = (other: string) => other.startsWith(`${key};range=`)
  if ([...attributes.keys()].some(isPart)) throw new Error(`the server sent a part of ${name} only`)
  return (attributes.get(key) ?? []).map((value) => text.decode(value))
}

/** The stable id; undefined if the entry has none, or several. */
export function subjectOf({ attributes }: LdapEntry, { id_attribute }: LdapOptions) {
  const [id, ...others] = attributes.get(id_attribute.toLowerCase()) ?? []
  if (!id || id.length === 0 || others.length > 0) return undefined
  return id_attribute === 'objectGUID' ? id.toString('hex') : text.decode(id).toLowerCase()
}

/** A stable id as the directory has it. */
export const idValue = (subject: string, { id_attribute }: LdapOptions): Buffer =>
  Buffer.from(subject, id_attribute === 'objectGUID' ? 'hex' : 'utf8')

/** Milliseconds between the epochs of Active Directory (1601) and of JavaScript. */
const epochOfActiveDirectory = 11_644_473_600_000n
const day = 86_400_000

/** Whether an account is disabled for good or has expired. What passes by itself is left to the bind. */
export function isDisabled(entry: LdapEntry, now: number): boolean {
  const read = (name: string) => textsOf(entry, name)[0]
  const number = (name: string) => {
    const value = read(name)
    return value !== undefined && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined
  }
  const expires = number('accountExpires') ?? 0n
  const isPast = expires > 0n && expires / 10_000n - epochOfActiveDirectory <= BigInt(now)
  const lastDay = number('shadowExpire') ?? -1n
  return (
    ((number('userAccountControl') ?? 0n) & 2n) !== 0n ||
    isPast ||
    (lastDay >= 0n && lastDay * BigInt(day) <= BigInt(now)) ||
    read('pwdAccountLockedTime') === '000001010000Z' ||
    read('nsAccountLock')?.toLowerCase() === 'true'
  )
}

/** A person, without groups. */
export function readProfile(entry: LdapEntry, { name_attribute }: LdapOptions) {
  const first = (name: string) => textsOf(entry, name)[0] ?? ''
  return {
    name: first(name_attribute),
    displayname: first('displayName') || first('cn'),
    email: first('mail'),
  } satisfies ExternalIdentity['profile']
}
