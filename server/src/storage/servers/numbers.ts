import type { DatabaseReader, DatabaseWriter } from '../database.ts'

interface Numbers {
  readonly server: number
  readonly word: number
  readonly revision: number
}
type Kind = keyof Numbers

interface Wanted {
  /** How many consecutive numbers of each kind. */
  readonly counts: Numbers
  /** The revision must be higher than this, because the revisions of a server only increase. */
  readonly above: number
}

/** Numbers that this process has reserved and not used yet; `end` is exclusive. */
interface Range {
  readonly next: number
  readonly end: number
}

/** Reserves a multiple of what is needed, so that bulk writes do not wait for each reservation. */
const reserveFactor: Numbers = { server: 8, word: 8, revision: 64 }
const kinds = Object.keys(reserveFactor) as Kind[]
const none: Range = { next: 0, end: 0 }

/** Allocates numbers that are unique across processes. Returns the first of each kind. Unused ones are lost. */
export function createNumbers(database: DatabaseReader & DatabaseWriter) {
  let ranges: Readonly<Record<Kind, Range>> = { server: none, word: none, revision: none }
  let turn: Promise<unknown> = Promise.resolve()

  async function reserve(counts: Numbers): Promise<void> {
    const { server, word, revision } = counts
    const take = database.db
      .updateTable('fleet_numbers')
      .set((row) => ({
        server: row('server', '+', server),
        word: row('word', '+', word),
        revision: row('revision', '+', revision),
      }))
      .returning(kinds)
      .compile()
    const [result] = await database.commit([take])
    const taken = (kind: Kind): Range => {
      if (counts[kind] === 0) return ranges[kind]
      const end = Number(result?.rows[0]?.[kind])
      return { next: end - counts[kind], end }
    }
    ranges = { server: taken('server'), word: taken('word'), revision: taken('revision') }
  }

  function missing({ counts, above }: Wanted): Numbers {
    const lacking = (kind: Kind) => {
      const { next, end } = ranges[kind]
      const isStale = kind === 'revision' && next <= above
      return counts[kind] > 0 && (end - next < counts[kind] || isStale)
        ? counts[kind] * reserveFactor[kind]
        : 0
    }
    return { server: lacking('server'), word: lacking('word'), revision: lacking('revision') }
  }

  async function takeInTurn(wanted: Wanted): Promise<Numbers> {
    const lacking = missing(wanted)
    if (kinds.some((kind) => lacking[kind] > 0)) await reserve(lacking)
    const before = ranges
    const rest = (kind: Kind): Range => {
      const { next, end } = before[kind]
      return { next: next + wanted.counts[kind], end }
    }
    ranges = { server: rest('server'), word: rest('word'), revision: rest('revision') }
    return {
      server: before.server.next,
      word: before.word.next,
      revision: before.revision.next,
    }
  }

  return function takeNumbers(counts: Partial<Numbers>, above = 0): Promise<Numbers> {
    const wanted = { counts: { server: 0, word: 0, revision: 0, ...counts }, above }
    const taken = turn.then(() => takeInTurn(wanted))
    turn = taken.catch(() => {})
    return taken
  }
}
export type TakeNumbers = ReturnType<typeof createNumbers>
