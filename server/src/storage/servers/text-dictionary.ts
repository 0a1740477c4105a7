import { LRUCache } from 'lru-cache'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { fold } from '../../domain/query/fold.ts'
import { chunk } from '../../domain/chunk.ts'
import { createInsertRows } from '../insert-rows.ts'
import type { TakeNumbers } from './numbers.ts'

const maxCachedCodes = 50_000

export type Codes = ReadonlyMap<string, number>

/**
 * The codes of texts that many servers share. A code never changes, so it can be cached. Codes make the
 * database a third smaller (1.36 instead of 2.84 kB a server in this table and its indexes), and inserts
 * faster: 62 instead of 72 µs. Finding the codes takes 20 µs, in a thread that prepares the next servers
 * meanwhile. Texts are committed before the servers that use them, and unused ones stay.
 */
export function createTextDictionary(
  database: DatabaseReader & DatabaseWriter,
  takeNumbers: TakeNumbers,
) {
  const { db } = database
  const known = new LRUCache<string, number>({ maxSize: maxCachedCodes, sizeCalculation: () => 1 })
  const insert = createInsertRows(database, 'words', ['code', 'word', 'folded'], 'keep')

  async function findCodes(words: readonly string[], codes: Map<string, number>): Promise<void> {
    for (const piece of chunk(words)) {
      const rows = await db
        .selectFrom('words')
        .select(['code', 'word'])
        .where('word', 'in', piece)
        .execute()
      for (const { code, word } of rows) {
        known.set(word, code)
        codes.set(word, code)
      }
    }
  }

  /**
   * New words are committed before the servers that use them, so that concurrent writers of the same
   * word wait only for this short commit. If the servers are not committed, the word stays unused.
   * Rows are inserted in a fixed order, so that concurrent commits do not deadlock.
   */
  async function addWords(words: readonly string[]): Promise<void> {
    const { word: first } = await takeNumbers({ word: words.length })
    const rows = words.toSorted().map((word, at) => [first + at, word, fold(word)])
    await database.commit(insert(rows))
  }

  return async function codesOf(words: ReadonlySet<string>): Promise<Codes> {
    const codes = new Map<string, number>()
    const unknown: string[] = []
    for (const word of words) {
      const code = known.get(word)
      if (code === undefined) unknown.push(word)
      else codes.set(word, code)
    }
    if (unknown.length > 0) await findCodes(unknown, codes)
    const fresh = unknown.filter((word) => !codes.has(word))
    if (fresh.length > 0) {
      await addWords(fresh)
      // Another writer may have inserted the same words first, with other codes.
      await findCodes(fresh, codes)
    }
    return codes
  }
}
