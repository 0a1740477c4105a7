import { LRUCache } from 'lru-cache'
import type { Database } from '../database.ts'
import { fold } from './columns.ts'
import { createInsertRows } from './insert-rows.ts'
import { takeNumbers } from './numbers.ts'

const remembered = 200_000
const askedAtOnce = 500

/** The codes of texts that many servers share. A code never changes, so what is known stays known. */
export function createWords(database: Database) {
  const { read } = database
  const known = new LRUCache<string, number>({ max: remembered })
  const insert = createInsertRows(read, 'words', ['code', 'word', 'folded'], 'keep', ['word'])

  async function findCodes(words: readonly string[], found: Map<string, number>): Promise<void> {
    for (let at = 0; at < words.length; at += askedAtOnce) {
      const rows = await read
        .selectFrom('words')
        .select(['code', 'word'])
        .where('word', 'in', words.slice(at, at + askedAtOnce))
        .execute()
      for (const { code, word } of rows) {
        known.set(word, code)
        found.set(word, code)
      }
    }
  }

  /**
   * Others may give a word its code at the same time: the first one counts. All go in one order, so
   * that nobody waits for somebody who waits for them.
   */
  async function addWords(missing: readonly string[], found: Map<string, number>): Promise<void> {
    const words = missing.toSorted()
    const first = (await takeNumbers(database, { word: words.length })).word
    await database.commit(insert(words.map((word, at) => [first + at, word, fold(word)])))
    await findCodes(words, found)
  }

  return async function codesOf(words: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    const unknown: string[] = []
    for (const word of new Set(words)) {
      const code = known.get(word)
      if (code === undefined) unknown.push(word)
      else found.set(word, code)
    }
    if (unknown.length > 0) await findCodes(unknown, found)
    const missing = unknown.filter((word) => !found.has(word))
    if (missing.length > 0) await addWords(missing, found)
    return found
  }
}
