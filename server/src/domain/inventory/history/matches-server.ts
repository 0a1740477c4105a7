import type { Server } from '@muster/contract'
import { matchesField } from '../../query/evaluate.ts'
import { matchesText } from '../../query/text-match.ts'
import { resourceFields, type Condition, type NamedResource } from '../condition.ts'
import { serverFields } from '../fields.ts'
import { origins } from '../metadata.ts'
import { indexedMetadata } from '../own-fields.ts'
import { isOwnerField, ownerFields, type OwnerField } from '../owner-fields.ts'
import { addressKey } from '../parse-network.ts'
import type { Owner } from '../ports.ts'
import { searchPattern, searchText, type SearchText } from '../search-text.ts'
import type { StateFilter } from '../server-list/server-query.ts'

/** Owners by the id of their project, with their current names. */
type Owners = Pick<ReadonlyMap<string, Owner>, 'get'>
type OfKind<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

export function matchesState({ deleted, pending_deleted }: Server, state: StateFilter): boolean {
  switch (state) {
    case 'live':
      return !deleted && !pending_deleted
    case 'recycled':
      return !deleted && pending_deleted
    case 'live-and-recycled':
      return !deleted
    case 'deleted':
      return deleted
  }
}

/** A server without an owner, or with a deleted one, has an empty name. */
function matchesOwner(
  server: Server,
  { comparison, values }: OfKind<'field'>,
  field: OwnerField,
  owners: Owners,
): boolean {
  const { id, name } = ownerFields[field]
  const text = owners.get(server[id])?.[name] ?? ''
  return matchesText(text, comparison, values as readonly string[])
}

/** The name that a filter can give instead of the id. A project without an owner has none. */
function resourceNames(server: Server, resource: NamedResource, owners: Owners) {
  if (resource !== 'project') return resourceFields[resource].map((field) => server[field])
  return [server.project_id, owners.get(server.project_id)?.project]
}

/** A key without a prefix is the tag of the user or, if there is none, that of the source. */
function hasTag({ metadata }: Server, { key, value }: OfKind<'tag'>): boolean {
  const tags = new Map(indexedMetadata(metadata))
  const isPrefixed = Object.values(origins).some((prefix) => key.startsWith(prefix))
  const found = isPrefixed
    ? tags.get(key)
    : (tags.get(origins.own + key) ?? tags.get(origins.source + key))
  return found !== undefined && (value === undefined || found === value)
}

function hasAddress({ nics, eip }: Server, { first, last }: OfKind<'address'>): boolean {
  const addresses = [...nics.flatMap(({ ip_addr, ip6_addr }) => [ip_addr, ip6_addr]), eip]
  return addresses.some((address) => {
    const key = addressKey(address)
    return key !== undefined && key >= first && key <= last
  })
}

/** A NIC without a network has the id ''. */
const isAttached = ({ nics }: Server, { id }: OfKind<'network'>): boolean =>
  id !== '' && nics.some(({ network_id }) => network_id === id)

/**
 * Decides in memory whether a whole server matches the filter of a server list, for versions of servers that
 * are in no table. The answer is that of the SQL in `storage/servers/server-list/where.ts`.
 */
export function createMatchesServer(where: Condition, owners: Owners) {
  return function matchesServer(server: Server): boolean {
    // Made once, and only for a search, because it takes longer than all other conditions.
    let texts: SearchText | undefined

    function hasText(text: string): boolean {
      const { column, pattern } = searchPattern(text)
      texts ??= searchText(server)
      return texts[column].includes(pattern)
    }

    function matches(condition: Condition): boolean {
      switch (condition.kind) {
        case 'field':
          return isOwnerField(condition.field)
            ? matchesOwner(server, condition, condition.field, owners)
            : matchesField(serverFields, condition, server)
        case 'resource': {
          const { resource, values } = condition
          return resourceNames(server, resource, owners).some(
            (name) => name !== undefined && values.includes(name),
          )
        }
        case 'search':
          return hasText(condition.text)
        case 'tag':
          return hasTag(server, condition)
        case 'address':
          return hasAddress(server, condition)
        case 'network':
          return isAttached(server, condition)
        case 'all':
          return condition.conditions.every(matches)
        case 'any':
          return condition.conditions.some(matches)
        case 'not':
          // NULL is false in every condition above, so it always matches the negated one.
          return !matches(condition.condition)
      }
    }
    return matches(where)
  }
}
