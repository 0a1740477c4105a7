import { SourceError } from '../../domain/sources/source-error.ts'
import { requireList } from './list-elements.ts'

const maxPages = 20_000
/** EC2 can return empty pages; this is the limit in a row. */
const maxIdlePages = 50

interface Paging<Page, Item> {
  /** Such as "instances in eu-west-1". */
  readonly what: string
  readonly call: (token: string | undefined) => Promise<Page>
  /** Undefined if the page has no list, which differs from an empty one. */
  readonly itemsOf: (page: Page) => readonly Item[] | undefined
  readonly idOf: (item: Item) => string | undefined
}

/** Yields a list page by page, each item once. Throws unless it reaches the last page. */
export async function* paginate<Page extends { readonly NextToken?: string | undefined }, Item>(
  paging: Paging<Page, Item>,
): AsyncGenerator<Item[]> {
  const { what } = paging
  const seenIds = new Set<string>()
  const tokens = new Set<string>()
  let token: string | undefined
  let idlePages = 0
  for (let pages = 1; pages <= maxPages && idlePages <= maxIdlePages; pages += 1) {
    const page = await paging.call(token)
    const items: Item[] = []
    for (const item of requireList(paging.itemsOf(page), what)) {
      const id = paging.idOf(item) ?? ''
      if (id === '') throw new SourceError('invalid-response', `One of the ${what} has no id.`)
      if (seenIds.has(id)) continue
      seenIds.add(id)
      items.push(item)
    }
    yield items
    token = page.NextToken
    if (token === undefined || token === '') return
    if (tokens.has(token)) {
      throw new SourceError('incomplete', `The pages of ${what} repeat.`)
    }
    tokens.add(token)
    idlePages = items.length === 0 ? idlePages + 1 : 0
  }
  throw new SourceError('incomplete', `The list of ${what} has too many pages.`)
}
