import { derivedId } from '../../domain/sources/derived-id.ts'
import { IdTable } from '../../domain/sources/id-table.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ListBudget } from './list-budget.ts'

/** Some sources return empty pages; this is the limit in a row. */
const maxIdlePages = 50

interface Page<Item> {
  /** Undefined if the page has no list, which differs from an empty one. */
  readonly items: readonly Item[] | undefined
  /** The token or marker of the next page; undefined or '' after the last one. */
  readonly next: string | undefined
  /** The size of the response, where the source knows it. */
  readonly bytes?: number
}

interface Paging<Item> {
  /** Such as "instances in eu-west-1". */
  readonly what: string
  readonly call: (token: string | undefined) => Promise<Page<Item>>
  readonly idOf: (item: Item) => string | undefined
}

/**
 * Yields a list page by page, each item once. Throws unless it reaches the last page. A list may have any number of
 * items, but each page must bring it closer to its end.
 */
export async function* paginate<Item>({ what, call, idOf }: Paging<Item>): AsyncGenerator<Item[]> {
  const seen = new IdTable()
  let token: string | undefined
  /** The token of page 1, 2, 4, 8, …: pages that repeat come back to one of them. */
  let mark: string | undefined
  let idlePages = 0
  for (let pages = 1; idlePages <= maxIdlePages; pages += 1) {
    const page = await call(token)
    if (!page.items) {
      throw new SourceError('invalid-response', `The response has no list of ${what}.`)
    }
    const items: Item[] = []
    for (const item of page.items) {
      const id = idOf(item) ?? ''
      if (id === '') throw new SourceError('invalid-response', `One of the ${what} has no id.`)
      const { size } = seen
      if (seen.add(derivedId(id)) === size) items.push(item)
    }
    yield items
    token = page.next
    if (token === undefined || token === '') return
    if (token === mark) throw new SourceError('incomplete', `The pages of ${what} repeat.`)
    if (Number.isInteger(Math.log2(pages))) mark = token
    idlePages = items.length === 0 ? idlePages + 1 : 0
  }
  throw new SourceError('incomplete', `The list of ${what} does not end.`)
}

interface Keeping<Item, Kept> {
  readonly budget: ListBudget
  /** What is held in memory of an item. */
  readonly pick: (item: Item) => Kept
}

/** Reads a list into memory, as far as the budget allows. It reads no further pages then. */
export async function collectPages<Item, Kept>(
  paging: Paging<Item>,
  { budget, pick }: Keeping<Item, Kept>,
): Promise<Kept[]> {
  const all: Kept[] = []
  let mayContinue = true
  const call = async (token: string | undefined) => {
    const page = await paging.call(token)
    mayContinue = page.next === undefined || budget.mayContinue(page.bytes ?? 0, paging.what)
    return page
  }
  for await (const items of paginate({ ...paging, call })) {
    for (const item of items) {
      const kept = pick(item)
      if (!budget.take(kept, paging.what)) return all
      all.push(kept)
    }
    if (!mayContinue) return all
  }
  return all
}
