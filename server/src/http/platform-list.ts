import type { ListQuery, Page } from '../domain/query/list-query.ts'
import { renderList } from '../domain/query/render-list.ts'
import { selectKeys } from '../domain/query/select-keys.ts'
import { nextLink } from './next-link.ts'

/** The response for a page of a list of the platform. */
export const answerPlatformPage = async (
  key: string,
  { items, total, next }: Page<object>,
  { limit, offset, keys }: Pick<ListQuery<string>, 'limit' | 'offset' | 'keys'>,
  address: string,
) => ({
  status: 200,
  body: await renderList(key, items, (item) => selectKeys(item, keys), {
    limit: limit === Infinity ? total : limit,
    offset,
    total,
  }),
  headers: nextLink(address, next === undefined ? undefined : { marker: next }),
})
