import type { LdapSession } from '../../ldap-session.ts'
import { escapeFilter, fillTemplate } from './escape-ldap.ts'
import type { LdapOptions } from './ldap-options.ts'
import { textsOf } from './read-entry.ts'

/** Levels of groups in groups, and groups of one person. */
const deepest = 10
const mostGroups = 1_000
/** Members that one search asks about. */
const atOnce = 50

interface Member {
  readonly dn: string
  readonly name: string
}

/** The groups of a person, by name and by distinguished name. Rejects rather than to leave some out. */
export async function readGroups(
  session: LdapSession,
  options: LdapOptions,
  person: Member,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { group_filter, group_base_dn, base_dn, nested_groups } = options
  const found = new Map<string, Member>()

  async function groupsOf(members: readonly Member[]): Promise<Member[]> {
    const filters = members.map((member) => fillTemplate(group_filter, { ...member }, escapeFilter))
    const entries = await session.search({
      base: group_base_dn || base_dn,
      scope: 'sub',
      filter: filters.length === 1 ? String(filters[0]) : `(|${filters.join('')})`,
      attributes: ['cn'],
    })
    return entries.map((entry) => ({ dn: entry.dn, name: textsOf(entry, 'cn')[0] ?? '' }))
  }

  /** Those that were not found before: groups may contain each other. */
  function addNew(groups: readonly Member[]): Member[] {
    const added = groups.filter(({ dn }) => !found.has(dn.toLowerCase()))
    for (const group of added) found.set(group.dn.toLowerCase(), group)
    if (found.size > mostGroups) throw new Error(`more than ${mostGroups} groups of one person`)
    return added
  }

  // A group may have the name of a person, so names say nothing about groups in groups.
  const isNested =
    nested_groups && group_filter.includes('{dn}') && !group_filter.includes('{name}')
  let level = group_filter === '' ? [] : addNew(await groupsOf([person]))
  if (!isNested) level = []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth >= deepest) throw new Error(`groups are nested in more than ${deepest} levels`)
    const next: Member[] = []
    for (let at = 0; at < level.length; at += atOnce) {
      next.push(...addNew(await groupsOf(level.slice(at, at + atOnce))))
    }
    level = next
  }
  const groups = [...found.values()]
  return new Map([
    ['groups', [...new Set(groups.map(({ name }) => name))]],
    ['group_dns', groups.map(({ dn }) => dn)],
  ])
}
