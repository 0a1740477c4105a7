import { hash } from 'node:crypto'
import type { Server } from '@muster/contract'
import type { Grouping } from '../server-list/server-query.ts'

const toGroupName = (text: string) => text.replaceAll(/[^A-Za-z0-9]+/g, '_')

const prefixOf = (grouping: Grouping) =>
  toGroupName('field' in grouping ? `${grouping.field}_` : `tag_${grouping.metadataKey}_`)

/** Values that are group names with `_` for `-`, and do not end like a name with a digest. */
const plainValue = /^(?!.*-[0-9a-f]{16}$)[A-Za-z0-9-]{1,100}$/

function valueOf(server: Server, grouping: Grouping): string {
  if ('field' in grouping) {
    const value = String(server[grouping.field] ?? '')
    // Other domains can have a project of the same name.
    return grouping.field === 'project' && value !== '' && server.domain_id !== 'default'
      ? `${server.project_domain}\n${value}`
      : value
  }
  const key = ['', 'user:', 'ext:']
    .map((prefix) => prefix + grouping.metadataKey)
    .find((name) => Object.hasOwn(server.metadata, name))
  return key === undefined ? '' : (server.metadata[key] ?? '')
}

/**
 * Names groups so that no two values share one, or a tenant could put a host into the group of another.
 * Group names are names of variables in Ansible. Other values get a digest.
 */
export function createGroupNamer(groups: readonly Grouping[]) {
  const groupings = groups.map((grouping) => ({ grouping, prefix: prefixOf(grouping) }))

  /** `project_id_1` can be the project `id-1` or the id `1`. */
  const isAmbiguous = (name: string) =>
    groupings.filter(({ prefix }) => name.startsWith(prefix)).length > 1

  function* groupsOf(server: Server) {
    for (const { grouping, prefix } of groupings) {
      const value = valueOf(server, grouping)
      if (value === '') continue
      const name = prefix + value.replaceAll('-', '_')
      if (plainValue.test(value) && !isAmbiguous(name)) yield name
      else {
        const digest = hash('sha256', `${grouping.name}\n${value}`).slice(0, 16)
        yield `${prefix}${toGroupName(value).slice(0, 60)}_${digest}`
      }
    }
  }
  return {
    groupsOf,
    isGroupName: (text: string) =>
      /^\w+$/.test(text) && groupings.some(({ prefix }) => text.startsWith(prefix)),
  }
}
