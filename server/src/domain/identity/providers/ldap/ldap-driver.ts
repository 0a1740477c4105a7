import { randomBytes } from 'node:crypto'
import { LdapRefusal, type LdapEntry, type LdapSession } from '../../ldap-session.ts'
import {
  NoResponseError,
  type DriverDependencies,
  type PasswordDriver,
  type PasswordVerdict,
  type Person,
} from '../../provider-driver.ts'
import { attributesOf } from '../attributes-of.ts'
import { escapeFilter, escapeName, fillTemplate } from './escape-ldap.ts'
import { ldapOptions, serversOf, type LdapOptions } from './ldap-options.ts'
import { bindReader, filterOfAll, findPerson, isPasswordOf, readPerson } from './read-directory.ts'
import { idValue, isDisabled, personAttributes, subjectOf } from './read-entry.ts'
import { testLdap } from './test-ldap.ts'

/** Too busy, or about to stop: another server may do better. */
const unavailable: ReadonlySet<number> = new Set([51, 52])

/** Subjects that one search of a sync asks about, and milliseconds for them. */
const atOnce = 50
const longestSync = 20_000

/** LDAP and Active Directory: passwords that a directory checks, and the groups that it has. */
export function createLdapDriver({
  openLdap,
}: Pick<DriverDependencies, 'openLdap'>): PasswordDriver {
  /** Each server in turn gets its part of the time, until one answers. */
  async function useServers<Result>(
    options: LdapOptions,
    deadline: number,
    work: (session: LdapSession) => Promise<Result>,
  ): Promise<Result> {
    const { ca, plain_text: plainText } = options
    const urls = serversOf(options)
    const failures: string[] = []
    for (const [index, url] of urls.entries()) {
      const now = performance.now()
      const end = now + (deadline - now) / (urls.length - index)
      try {
        return await openLdap({ url: new URL(url), ca, plainText, deadline: end }, work)
      } catch (error) {
        const isAway = error instanceof LdapRefusal && unavailable.has(error.code)
        if (!isAway && !(error instanceof NoResponseError)) throw error
        failures.push(error.message)
      }
    }
    throw new Error(failures.join('; '))
  }

  /** The person whose password was right. */
  async function judge(
    session: LdapSession,
    options: LdapOptions,
    entry: LdapEntry,
  ): Promise<PasswordVerdict> {
    const subject = subjectOf(entry, options)
    if (subject === undefined) {
      return { refusal: `the entry has not exactly one ${options.id_attribute}` }
    }
    if (isDisabled(entry, Date.now())) {
      return { refusal: 'disabled in the directory', disabledSubject: subject }
    }
    return { person: await readPerson(session, options, entry, subject) }
  }

  /** An unknown name takes the same steps: its bind is that of a name that nobody has. */
  async function searchAndBind(
    session: LdapSession,
    options: LdapOptions,
    { name, password }: { readonly name: string; readonly password: string },
  ): Promise<PasswordVerdict> {
    const { base_dn, user_filter } = options
    await bindReader(session, options)
    const [entry, ...others] = await session.search({
      base: base_dn,
      scope: 'sub',
      filter: fillTemplate(user_filter, { name }, escapeFilter),
      attributes: personAttributes(options),
    })
    const isFound = entry !== undefined && others.length === 0
    const nobody = `cn=${randomBytes(12).toString('hex')},${base_dn}`
    const isRight = await isPasswordOf(session, isFound ? entry.dn : nobody, password)
    if (!entry) return { refusal: 'no such person', isUnknown: true }
    if (!isFound) return { refusal: 'several people have this name' }
    if (!isRight) {
      const subject = isDisabled(entry, Date.now()) ? subjectOf(entry, options) : undefined
      return { refusal: 'wrong password', ...(subject && { disabledSubject: subject }) }
    }
    await bindReader(session, options)
    return await judge(session, options, entry)
  }

  async function bindDirectly(
    session: LdapSession,
    options: LdapOptions,
    { name, password }: { readonly name: string; readonly password: string },
  ): Promise<PasswordVerdict> {
    const { user_dn, user_filter } = options
    const dn = fillTemplate(user_dn, { name }, escapeName)
    if (!(await isPasswordOf(session, dn, password))) {
      return { refusal: 'wrong name or password' }
    }
    await bindReader(session, options)
    const [entry] = await session.search({
      base: dn,
      scope: 'base',
      filter: fillTemplate(user_filter, { name }, escapeFilter),
      attributes: personAttributes(options),
    })
    if (!entry) return { refusal: 'user_filter does not find the user' }
    return await judge(session, options, entry)
  }

  /** The people of some subjects, on one connection. */
  async function readSome(
    session: LdapSession,
    options: LdapOptions,
    subjects: readonly string[],
  ): Promise<(readonly [string, Person])[]> {
    const { base_dn, user_filter, id_attribute } = options
    await bindReader(session, options)
    // If it cannot be read, that nobody is found says nothing.
    const filter = '(objectClass=*)'
    const base = await session.search({ base: base_dn, scope: 'base', filter, attributes: ['1.1'] })
    if (base.length !== 1) throw new Error('base_dn cannot be read')
    const entries = await session.search({
      base: base_dn,
      scope: 'sub',
      filter: filterOfAll(user_filter),
      among: {
        attribute: id_attribute,
        values: subjects.map((subject) => idValue(subject, options)),
      },
      attributes: personAttributes(options),
    })
    const people: [string, Person][] = []
    for (const entry of entries) {
      const subject = subjectOf(entry, options)
      if (subject === undefined) throw new Error(`an entry has not exactly one ${id_attribute}`)
      const person = await readPerson(session, options, entry, subject)
      people.push([subject, { ...person, isDisabled: isDisabled(entry, Date.now()) }])
    }
    return people
  }

  return {
    names: ['ldap'],
    label: 'LDAP',
    title: 'LDAP or Active Directory',
    description: 'A directory checks the passwords that people type into the login page.',
    options: ldapOptions,

    async test(given, check, deadline) {
      await testLdap(openLdap, given as LdapOptions, check, deadline)
    },

    readClaims(given, claims) {
      const { id_attribute, name_attribute } = given as LdapOptions
      const attributes = attributesOf(claims)
      const first = (name: string) => attributes.get(name)?.[0] ?? ''
      const subject = first(id_attribute).toLowerCase()
      if (subject === '') throw new Error(`${id_attribute} must be a text`)
      const profile = {
        name: first(name_attribute),
        displayname: first('displayName') || first('cn'),
        email: first('mail'),
      }
      const groups = [...attributes].filter(([name]) => /^group(?:s|_dns)$/.test(name))
      return { subject, profile, attributes: new Map(groups) }
    },

    async findPerson(given, name, deadline) {
      const options = given as LdapOptions
      return await useServers(options, deadline, (session) => findPerson(session, options, name))
    },

    async checkPassword(given, login, deadline) {
      const options = given as LdapOptions
      const check = options.user_dn === '' ? searchAndBind : bindDirectly
      return await useServers(options, deadline, (session) => check(session, options, login))
    },

    syncMinutes(given) {
      const { bind_dn, sync_minutes } = given as LdapOptions
      // Nobody else could read the directory while no user logs in.
      return bind_dn === '' ? 0 : sync_minutes
    },

    async readPeople(given, subjects) {
      const options = given as LdapOptions
      const people = new Map<string, Person>()
      for (let at = 0; at < subjects.length; at += atOnce) {
        const some = subjects.slice(at, at + atOnce)
        const read = (session: LdapSession) => readSome(session, options, some)
        const found = await useServers(options, performance.now() + longestSync, read)
        for (const [subject, person] of found) people.set(subject, person)
      }
      return people
    },
  }
}
