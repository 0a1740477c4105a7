import { SourceError } from '../../domain/sources/source-error.ts'

const maxPages = 20_000
/** An endless list of new ids ends here, before the ids fill the memory of all accounts. */
const maxItems = 1_000_000
/** Of a list that is held in memory as a whole. */
const [maxCollectedItems, maxCollectedBytes] = [100_000, 64 * 2 ** 20]
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

/** Yields a list page by page, each item once. Throws unless it reaches the last page. */
export async function* paginate<Item>({ what, call, idOf }: Paging<Item>): AsyncGenerator<Item[]> {
  const seenIds = new Set<string>()
  const tokens = new Set<string>()
  let token: string | undefined
  let idlePages = 0
  for (let pages = 1; pages <= maxPages && idlePages <= maxIdlePages; pages += 1) {
    const page = await call(token)
    if (!page.items) {
      throw new SourceError('invalid-response', `The response has no list of ${what}.`)
    }
    const items: Item[] = []
    for (const item of page.items) {
      const id = idOf(item) ?? ''
      if (id === '') throw new SourceError('invalid-response', `One of the ${what} has no id.`)
      if (seenIds.has(id)) continue
      seenIds.add(id)
      items.push(item)
    }
    if (seenIds.size > maxItems) {
      throw new SourceError('incomplete', `The list of ${what} has more than a million items.`)
    }
    yield items
    token = page.next
    if (token === undefined || token === '') return
    if (tokens.has(token)) {
      throw new SourceError('incomplete', `The pages of ${what} repeat.`)
    }
    tokens.add(token)
    idlePages = items.length === 0 ? idlePages + 1 : 0
  }
  throw new SourceError('incomplete', `The list of ${what} has too many pages.`)
}

/** Reads a whole list into memory, unless it is too large. */
export async function collectPages<Item>(
  paging: Paging<Item>,
  most = maxCollectedItems,
): Promise<Item[]> {
  const { what } = paging
  let bytes = 0
  const call = async (token: string | undefined) => {
    const page = await paging.call(token)
    bytes += page.bytes ?? 0
    return page
  }
  const all: Item[] = []
  for await (const items of paginate({ ...paging, call })) {
    all.push(...items)
    if (all.length > most || bytes > maxCollectedBytes) {
      throw new SourceError('incomplete', `The list of ${what} is too long.`)
    }
  }
  return all
}
