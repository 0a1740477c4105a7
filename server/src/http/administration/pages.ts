import { maxPageSize } from '@muster/contract'
import { badField } from '../../domain/error.ts'
import { allOf } from '../../domain/query/conditions.ts'
import { listInMemory } from '../../domain/query/evaluate.ts'
import type { ListQuery, Page } from '../../domain/query/list-query.ts'
import { isField, type QueryFields } from '../../domain/query/query-fields.ts'
import {
  readField,
  readListQuery,
  type ListParameters,
} from '../../domain/query/read-list-query.ts'
import { renderList } from '../../domain/query/render-list.ts'
import { selectKeys } from '../../domain/query/select-keys.ts'
import { addressFrom } from '../next-link.ts'

/** The parameters of a list under `/v3`. */
export interface KeystoneParameters extends ListParameters {
  readonly sort_key?: string
  readonly sort_dir?: 'asc' | 'desc'
}

/** Without `order_by` the list is sorted ascending. */
function readSorting({ sort_key, sort_dir, order_by, order }: KeystoneParameters): ListParameters {
  if (sort_key !== undefined && order_by !== undefined) {
    throw badField('sort_key', 'is an alias of order_by. Send only one of them.')
  }
  if (order_by !== undefined) return { order_by, order: order ?? sort_dir ?? 'desc' }
  return {
    ...(sort_key !== undefined && { order_by: [sort_key] }),
    order: order ?? sort_dir ?? 'asc',
  }
}

/** Parses the query of a list under `/v3`: whole unless `limit` is given. */
export function readKeystoneQuery<Field extends string>(
  fields: QueryFields<Field>,
  { scope, ...parameters }: KeystoneParameters,
  defaultField: Field | undefined,
): ListQuery<Field> {
  const sorting = readSorting(parameters)
  const sorted = { ...parameters, ...sorting }
  const query =
    defaultField === undefined && sorting.order_by === undefined
      ? { ...readListQuery(fields, sorted, '' as Field), order: [] }
      : readListQuery(fields, sorted, defaultField ?? ('' as Field))
  const limit = parameters.limit === undefined ? Infinity : Math.min(parameters.limit, maxPageSize)
  // Policies have a field of this name. Every caller sees all policies, so there is no scope to narrow.
  const isFilter = isField(fields, 'scope') && scope !== undefined && scope !== 'max'
  return isFilter
    ? { ...query, limit, where: allOf([query.where, ...readField(fields, 'scope', [scope])]) }
    : { ...query, limit, scope: isField(fields, 'scope') ? undefined : scope }
}

/**
 * The response for a page of a list. The links are only in the body, as in Keystone: the OpenStack
 * SDK fails if there is a Link header too.
 */
export const answerPage = async <Item>(
  key: string,
  { items, next, total }: Page<Item>,
  render: (item: Item) => object,
  { limit, offset, keys }: Pick<ListQuery<string>, 'limit' | 'offset' | 'keys'>,
  address: string,
) => ({
  status: 200,
  body: await renderList(key, items, (item) => selectKeys(render(item), keys), {
    links: {
      self: address,
      next: next === undefined ? null : addressFrom(address, { marker: next }),
      previous: null,
    },
    limit: limit === Infinity ? total : limit,
    offset,
    total,
  }),
})

/** The response for one page of a list that is completely in memory. */
export async function answerInMemory<Field extends string>(
  key: string,
  fields: QueryFields<Field>,
  items: readonly Readonly<Record<Field, unknown>>[],
  { parameters, url, idField }: { parameters: KeystoneParameters; url: string; idField: Field },
) {
  const query = readKeystoneQuery(fields, parameters, undefined)
  const objects = items.map((item) => ({ ...item, id: String(item[idField]), item }))
  return await answerPage(key, listInMemory(fields, query, objects), ({ item }) => item, query, url)
}
