import type { LdapServer, LdapSession, OpenLdap } from '../../ldap-session.ts'
import { OptionError, type Check } from '../../provider-driver.ts'
import { serversOf, type LdapOptions } from './ldap-options.ts'
import { bindReader, filterOfAll, readPerson } from './read-directory.ts'
import { personAttributes, readProfile, subjectOf } from './read-entry.ts'

/** People that a test counts. */
const mostPeople = 500

/** The server of the options that responds first. All of them are checked. */
async function findServer(
  openLdap: OpenLdap,
  options: LdapOptions,
  check: Check,
  deadline: number,
): Promise<LdapServer | undefined> {
  const { ca, plain_text: plainText } = options
  const urls = serversOf(options).map((text) => new URL(text))
  let first: LdapServer | undefined
  for (const [index, url] of urls.entries()) {
    const now = performance.now()
    // The checks that follow get a part of the time as well.
    const end = now + (deadline - now) / (urls.length - index + 1)
    const server = { url, ca, plainText, deadline: end }
    const hasTls = url.protocol === 'ldaps:' || plainText === 'never'
    const opened = await check('connection', 'servers', () =>
      openLdap(server, async () => ({
        found: `${url.host} responds ${hasTls ? 'with' : 'without'} TLS`,
        value: undefined,
      })),
    )
    if (opened) first ??= { ...server, deadline }
  }
  return first
}

async function checkPeople(session: LdapSession, options: LdapOptions) {
  const { base_dn, user_filter, id_attribute, name_attribute } = options
  const entries = await session.search({
    base: base_dn,
    scope: 'sub',
    filter: filterOfAll(user_filter),
    attributes: personAttributes(options),
    most: mostPeople,
  })
  const [first] = entries
  if (!first) throw new Error('user_filter finds nobody under base_dn')
  if (subjectOf(first, options) === undefined) {
    throw new OptionError(
      'id_attribute',
      `${first.dn} has not exactly one ${id_attribute}, or bind_dn may not read it`,
    )
  }
  if (readProfile(first, options).name === '') {
    throw new OptionError('name_attribute', `${first.dn} has no ${name_attribute}`)
  }
  const count = entries.length
  const number = count === mostPeople ? `${count} people or more` : `${count} people`
  return { found: count === 1 ? '1 person' : number, value: first }
}

/** Checks the settings of a directory as logins and syncs use them. */
export async function testLdap(
  openLdap: OpenLdap,
  options: LdapOptions,
  check: Check,
  deadline: number,
): Promise<void> {
  const { bind_dn, base_dn, user_dn, group_filter } = options
  const server = await findServer(openLdap, options, check, deadline)
  if (!server) return
  await openLdap(server, async (session) => {
    const bound = await check('bind', 'bind_dn', async () => {
      await bindReader(session, options)
      return { found: bind_dn === '' ? 'anonymous, without bind_dn' : bind_dn, value: undefined }
    })
    // Only people who log in can read the directory then.
    if (!bound || (bind_dn === '' && user_dn !== '')) return
    const base = await check('base_dn', 'base_dn', async () => {
      const filter = '(objectClass=*)'
      const search = { base: base_dn, scope: 'base', filter, attributes: ['1.1'] } as const
      if ((await session.search(search)).length !== 1) throw new Error('base_dn cannot be read')
      return { found: base_dn, value: undefined }
    })
    const people =
      base && (await check('people', 'user_filter', () => checkPeople(session, options)))
    if (!people || group_filter === '') return
    await check('groups', 'group_filter', async () => {
      const person = await readPerson(session, options, people.value, '')
      const count = person.attributes.get('group_dns')?.length ?? 0
      const groups = count === 1 ? '1 group' : `${count} groups`
      return { found: `${person.profile.name} is in ${groups}`, value: undefined }
    })
  })
}
