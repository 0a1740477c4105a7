import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { required, type Database, type Statement } from '../database.ts'
import { fold } from './columns.ts'
import { inPieces } from './in-pieces.ts'
import { createInsertRows } from './insert-rows.ts'
import type { TakeNumbers } from './numbers.ts'

const remembered = 200_000

export type Codes = ReadonlyMap<string, number>

/** The codes of some words, and how those that are new come to be there. */
export interface CodedWords {
  readonly codes: Codes
  /** They belong into the commit that uses the codes; it does not happen where others gave a word another code. */
  readonly statements: readonly Statement[]
  /** To be called with how that commit went. */
  settle(isWritten: boolean): void
}

/** The codes of texts that many servers share. A code never changes, so what is known stays known. */
export function createWords(database: Database, takeNumbers: TakeNumbers) {
  const { read } = database
  const known = new LRUCache<string, number>({ max: remembered })
  /** Codes that are given, in commits that are still under way. */
  const given = new Map<string, number>()
  const insert = createInsertRows(read, 'words', ['code', 'word', 'folded'], 'keep', ['word'])

  async function findCodes(words: readonly string[], codes: Map<string, number>): Promise<void> {
    for (const piece of inPieces(words)) {
      const rows = await read
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

  function codeGivenTo(word: string): [string, number][] {
    const code = given.get(word)
    return code === undefined ? [] : [[word, code]]
  }

  /** New words get codes, the same in every commit of this process that is under way. */
  async function giveCodes(words: readonly string[]): Promise<Codes> {
    for (;;) {
      const codes = new Map(words.flatMap((word) => codeGivenTo(word)))
      const lacking = words.filter((word) => !codes.has(word))
      if (lacking.length === 0) return codes
      const { word: first } = await takeNumbers({ word: lacking.length })
      // Meanwhile others may have given them codes, and a commit that ended may have taken its own
      // back: no more than what was asked for is ours to give.
      lacking.forEach((word, at) => {
        if (!given.has(word)) given.set(word, first + at)
      })
    }
  }

  /** Whether these words have just these codes: others may have been quicker, with others. */
  function demandCodes(rows: readonly (readonly [number, string, ...unknown[]])[]): Statement[] {
    return [...inPieces(rows)].map((piece) => {
      const pairs = sql.join(piece.map(([code, word]) => sql`(cast(${code} as integer), ${word})`))
      const check = sql`select 1 as one from (select count(*) as n from words where (code, word) in (values ${pairs})) as given where n = ${piece.length}`
      return required(check.compile(read), 'words')
    })
  }

  return async function codesOf(words: ReadonlySet<string>): Promise<CodedWords> {
    const codes = new Map<string, number>()
    const unknown: string[] = []
    for (const word of words) {
      const code = known.get(word)
      if (code === undefined) unknown.push(word)
      else codes.set(word, code)
    }
    if (unknown.length > 0) await findCodes(unknown, codes)
    // Also those that another commit brings: it may fail.
    const fresh = unknown.filter((word) => !codes.has(word))
    const rows = [...(await giveCodes(fresh))].map(
      ([word, code]) => [code, word, fold(word)] as const,
    )
    for (const [code, word] of rows) codes.set(word, code)
    return {
      codes,
      statements: [...insert(rows), ...demandCodes(rows)],
      settle(isWritten) {
        for (const [code, word] of rows) {
          if (isWritten) known.set(word, code)
          given.delete(word)
        }
      },
    }
  }
}
