import type { ScopeParameter } from '@muster/contract'
import { createHash } from 'node:crypto'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { queryFieldsOf, type QueryFields } from '../query/query-fields.ts'
import { readListQuery, type ListParameters } from '../query/read-list-query.ts'
import { renderList } from '../query/render-list.ts'
import { requesterOf } from './ports.ts'
import type { ResourceFinder, ResourceObject } from './resource-finder.ts'
import { inventoryKinds, resourceOf, type InventoryKind } from './kinds.ts'
import { findVisibility } from './server-list/visibility.ts'

const mostNamesakes = 20

const ofAll = <Value>(make: (kind: InventoryKind) => Value) =>
  Object.fromEntries(inventoryKinds.map((kind) => [kind, make(kind)])) as Record<
    InventoryKind,
    Value
  >

/** The fields for callers with a system role, and for all others. */
const fieldsOf = {
  system: ofAll((kind): QueryFields<string> => queryFieldsOf(resourceOf(kind))),
  other: ofAll((kind): QueryFields<string> =>
    queryFieldsOf(resourceOf(kind), resourceOf(kind).fieldsWithoutSystemRole),
  ),
}

/** Comparing a field that the caller may not see would reveal its value. */
function requireAllowed(kind: InventoryKind, { kinds }: QueryFields<string>, parameters: object) {
  const { fields } = resourceOf(kind)
  for (const name of Object.keys(parameters)) {
    if (Object.hasOwn(fields, name) && !Object.hasOwn(kinds, name)) {
      throw badField(name, 'can be used only with a system role')
    }
  }
}

/** Newest first, or by name if the caller may not see when Muster first saw the resource. */
const withDefaultOrder = (
  { sortable }: QueryFields<string>,
  parameters: ListParameters,
): [ListParameters, string] =>
  sortable.has('created_at') || parameters.order_by !== undefined
    ? [parameters, 'created_at']
    : [{ order: 'asc', ...parameters }, 'name']

const pick = (object: ResourceObject, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, object[key]]))

function withTag(body: readonly Buffer[]) {
  const digest = createHash('md5')
  for (const piece of body) digest.update(piece)
  return { body, etag: `"${digest.digest('base64url')}"` }
}

/** Lists and gets the resources of the inventory besides servers. */
export function createResourceUseCases(finder: ResourceFinder) {
  /** By default the largest scope of the caller. Fields depend on the role, whatever the scope. */
  function visibilityOf({ principal, authorizedScope }: Caller, wanted: ScopeParameter = 'max') {
    const maxScope = authorizedScope.scope
    return {
      scope: findVisibility(principal, maxScope, wanted).scope,
      fields: fieldsOf[maxScope.kind === 'system' ? 'system' : 'other'],
    }
  }

  return {
    async listInventory(kind: InventoryKind, caller: Caller, parameters: ListParameters) {
      const visibility = visibilityOf(caller, parameters.scope)
      const fields = visibility.fields[kind]
      requireAllowed(kind, fields, parameters)
      const query = readListQuery(fields, ...withDefaultOrder(fields, parameters))
      const { limit, offset } = query
      const visible = { kind, scope: visibility.scope, requester: requesterOf(caller) }
      const { items, total, next } = await finder.list(visible, fields, query)
      const keys = query.keys ?? (query.details ? fields.keys : fields.shortKeys)
      const { keys: name } = resourceOf(kind)
      const others = { limit, offset, total }
      const body = await renderList(name, items, (item) => pick(item, keys), others)
      return { ...withTag(body), marker: next }
    },

    async getInventoryItem(
      kind: InventoryKind,
      caller: Caller,
      idOrName: string,
      wanted: ScopeParameter | undefined,
    ) {
      const { key, many } = resourceOf(kind)
      const { scope, fields } = visibilityOf(caller, wanted)
      const visible = { kind, scope, requester: requesterOf(caller) }
      const found = await finder.find(visible, idOrName, mostNamesakes + 1)
      const [object, ...others] = found
      if (!object) {
        throw new PlatformError(
          'ResourceNotFoundError',
          `No such ${key}, or you do not have access to it.`,
        )
      }
      if (others.length > 0) {
        const ids = found.slice(0, mostNamesakes).map(({ id }) => id)
        const more = found.length > mostNamesakes ? ' and others' : ''
        throw new PlatformError(
          'ConflictError',
          `Several ${many} have this name: ${ids.join(', ')}${more}. Use an id.`,
        )
      }
      return withTag([Buffer.from(JSON.stringify({ [key]: pick(object, fields[kind].keys) }))])
    },
  }
}
export type ResourceUseCases = ReturnType<typeof createResourceUseCases>
