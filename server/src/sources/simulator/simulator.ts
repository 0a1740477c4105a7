import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { describeServer, serverId } from './describe-server.ts'
import { diceOf } from './dice.ts'
import { createCalendar, epoch, tickLength, tickOf, type Life } from './life.ts'
import { createSites } from './sites.ts'
import { stateOf } from './status.ts'

interface Fleet {
  readonly seed: number
  readonly servers: number
  /** Who owns them: each an equal share, one after the other. */
  readonly projects: readonly { readonly id: string }[]
}

/** What a source has to say: who is there and how, and who is no longer. */
export interface Scan {
  readonly present: ServerFacts[]
  readonly gone: string[]
}

/** Servers that stand side by side: from `start` on, up to `end`. */
export interface Batch {
  readonly start: number
  readonly end: number
  /** All of them, as they are or were. */
  readonly present: ServerFacts[]
  /** Those among them that were deleted. */
  readonly gone: string[]
}

/**
 * A fleet that nobody runs. A server is a function of the seed, its number and the moment, and of
 * nothing else: any part can be made without the rest, anywhere, again and again.
 */
export function createSimulator({ seed, servers, projects }: Fleet) {
  if (projects.length === 0) throw new RangeError('a fleet needs a project to belong to')
  const sites = createSites({ seed, servers, projects })
  const calendar = createCalendar(servers)

  const diceOfServer = (index: number) => diceOf(seed, index)
  const idOf = (index: number) => serverId(diceOfServer(index))
  const lifeOf = (index: number, moment: number) =>
    calendar.lifeOf(index, diceOfServer(index), moment)
  const stateWith = (index: number, life: Life) => stateOf(seed, index, diceOfServer(index), life)

  function describe(index: number, moment = epoch): ServerFacts {
    const project = Math.floor((index * projects.length) / servers)
    const life = lifeOf(index, moment)
    return describeServer({
      seed,
      index,
      dice: diceOfServer(index),
      project,
      project_id: projects[project]?.id ?? '',
      inProject: index - Math.ceil((project * servers) / projects.length),
      life,
      state: stateWith(index, life),
      sites,
    })
  }

  const isGone = (index: number, moment = epoch): boolean =>
    stateWith(index, lifeOf(index, moment)).presence === 'gone'

  function* changedIn(from: number, to: number): Generator<number> {
    // After a whole period everyone has had a turn.
    if (to - from > calendar.period) {
      for (let index = 0; index < servers; index += 1) yield index
      return
    }
    for (let tick = from; tick <= to; tick += 1) yield* calendar.beginningAt(tick)
  }

  return {
    servers,
    /** How long it takes until everyone has had a turn, in milliseconds. */
    period: calendar.period * tickLength,
    describe,
    idOf,
    isGone,

    /** The fleet from a server on, in the order of its projects. */
    *batches(size: number, moment = epoch, from = 0): Generator<Batch> {
      for (let start = from; start < servers; start += size) {
        const end = Math.min(start + size, servers)
        const indices = Array.from({ length: end - start }, (_, offset) => start + offset)
        yield {
          start,
          end,
          present: indices.map((index) => describe(index, moment)),
          gone: indices.filter((index) => isGone(index, moment)).map(idOf),
        }
      }
    },

    /** Who has changed after one moment and up to another, as they are at the later or even after it. */
    changesBetween(from: number, to: number, seenAt = to): Scan {
      const scan: Scan = { present: [], gone: [] }
      // What began in the tick before may have ended in the first that counts.
      for (const index of new Set(changedIn(tickOf(from), tickOf(to)))) {
        const [before, after] = [lifeOf(index, from), lifeOf(index, to)]
        const { takesTime } = stateWith(index, after)
        const hasBegun = after.changes > before.changes
        const hasEnded = takesTime && before.isMoving && !after.isMoving
        if (!hasBegun && !hasEnded) continue
        if (isGone(index, seenAt)) scan.gone.push(idOf(index))
        else scan.present.push(describe(index, seenAt))
      }
      return scan
    },
  }
}
export type Simulator = ReturnType<typeof createSimulator>
