import { LdapRefusal, type LdapEntry, type LdapSession } from '../../ldap-session.ts'
import type { Person } from '../../provider-driver.ts'
import { escapeFilter, escapeName, fillTemplate } from './escape-ldap.ts'
import type { LdapOptions } from './ldap-options.ts'
import { isDisabled, personAttributes, readProfile, subjectOf } from './read-entry.ts'
import { readGroups } from './read-groups.ts'

/** What a bind answers to a wrong password, a name that does not exist, and an account that is locked. */
const refusals: ReadonlySet<number> = new Set([19, 32, 34, 48, 49, 50, 53])
/** Whether the directory accepts a password. Nobody binds without one: that would be anonymous, and succeed. */
export async function isPasswordOf(
  session: LdapSession,
  dn: string,
  password: string,
): Promise<boolean> {
  if (password === '') return false
  // ldapts takes a name such as EXTERNAL for a SASL mechanism.
  if (!/[=@\\]/.test(dn)) return false
  try {
    await session.bind(dn, password)
    return true
  } catch (error) {
    if (error instanceof LdapRefusal && refusals.has(error.code)) return false
    throw error
  }
}

/** The filter of users with any name. An asterisk has no meaning in an extensible match. */
export const filterOfAll = (userFilter: string): string =>
  userFilter.replaceAll(/\(([\w-]+)(?::[\w.-]+)*:=\{name\}\)/g, '($1=*)').replaceAll('{name}', '*')

/** Binds as who may read the directory. */
export async function bindReader(session: LdapSession, options: LdapOptions): Promise<void> {
  const { bind_dn, bind_password } = options
  if (bind_dn === '') return
  if (!(await isPasswordOf(session, bind_dn, bind_password))) {
    throw new LdapRefusal(49, 'the server does not accept bind_dn and bind_password')
  }
}

/** A person with groups. */
export async function readPerson(
  session: LdapSession,
  options: LdapOptions,
  entry: LdapEntry,
  subject: string,
) {
  const profile = readProfile(entry, options)
  const { dn } = entry
  return {
    subject,
    profile,
    attributes: await readGroups(session, options, { dn, name: profile.name }),
  }
}

/** Where the login of somebody with this name finds their entry. */
const placeOf = ({ base_dn, user_dn }: LdapOptions, name: string) =>
  user_dn === ''
    ? ({ base: base_dn, scope: 'sub' } as const)
    : ({ base: fillTemplate(user_dn, { name }, escapeName), scope: 'base' } as const)

/** Somebody by the name with which they log in, without their password. */
export async function findPerson(
  session: LdapSession,
  options: LdapOptions,
  name: string,
): Promise<Person | undefined> {
  await bindReader(session, options)
  const [entry, ...others] = await session.search({
    ...placeOf(options, name),
    filter: fillTemplate(options.user_filter, { name }, escapeFilter),
    attributes: personAttributes(options),
    most: 2,
  })
  if (!entry) return undefined
  if (others.length > 0) throw new Error('several people have this name')
  const subject = subjectOf(entry, options)
  if (subject === undefined) {
    throw new Error(`the entry has not exactly one ${options.id_attribute}`)
  }
  const person = await readPerson(session, options, entry, subject)
  return { ...person, isDisabled: isDisabled(entry, Date.now()) }
}
