import type { DatabaseReader, DatabaseWriter } from '../database.ts'

interface Numbers {
  readonly server: number
  readonly word: number
  readonly revision: number
}
type Kind = keyof Numbers

interface Wanted {
  /** So many of each, side by side. */
  readonly counts: Numbers
  /** The revision must be higher than these: a server's revisions only grow. */
  readonly above: number
}

/** Numbers that are ours: from the next on, up to the end. */
interface Range {
  readonly next: number
  readonly end: number
}

/** So many times what is needed is taken: a load of many would otherwise wait for each. */
const ahead: Numbers = { server: 8, word: 8, revision: 64 }
const kinds = Object.keys(ahead) as Kind[]
const none: Range = { next: 0, end: 0 }

/** Gives out numbers that nobody else gets; answers the first of each. Those left over at the end are lost. */
export function createNumbers(database: DatabaseReader & DatabaseWriter) {
  let ranges: Readonly<Record<Kind, Range>> = { server: none, word: none, revision: none }
  let turn: Promise<unknown> = Promise.resolve()

  async function takeAhead(counts: Numbers): Promise<void> {
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
    const [outcome] = await database.commit([take])
    const taken = (kind: Kind): Range => {
      if (counts[kind] === 0) return ranges[kind]
      const end = Number(outcome?.rows[0]?.[kind])
      return { next: end - counts[kind], end }
    }
    ranges = { server: taken('server'), word: taken('word'), revision: taken('revision') }
  }

  function missing({ counts, above }: Wanted): Numbers {
    const lacking = (kind: Kind) => {
      const { next, end } = ranges[kind]
      const isStale = kind === 'revision' && next <= above
      return counts[kind] > 0 && (end - next < counts[kind] || isStale)
        ? counts[kind] * ahead[kind]
        : 0
    }
    return { server: lacking('server'), word: lacking('word'), revision: lacking('revision') }
  }

  async function takeInTurn(wanted: Wanted): Promise<Numbers> {
    const lacking = missing(wanted)
    if (kinds.some((kind) => lacking[kind] > 0)) await takeAhead(lacking)
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
