import { describe } from 'node:test'
import type { Operation } from '@muster/contract'
import type { Engine } from './engines.ts'

/**
 * Suites that run in several lanes: a cheap part of them in `npm test`, more in `npm run test:slow`, all
 * in `--nightly`. The runner finds them by the names of these functions.
 */
export const isNightly = process.env['TEST_LANE'] === 'nightly'
export const isSlowLane = isNightly || process.env['TEST_LANE'] === 'slow'

/** Runs a suite on SQLite in `npm test` and on PostgreSQL in `npm run test:slow`. */
export function onEngineOfLane(name: string, suite: (engine: Engine) => void): void {
  const engine = isSlowLane ? 'postgres' : 'sqlite'
  void describe(`${name} (${engine})`, () => suite(engine))
}

interface Options {
  readonly concurrency?: number | true
}

const onOneFirst =
  (first: Engine) =>
  (name: string, suite: (engine: Engine) => void, { concurrency = 1 }: Options = {}): void => {
    const engines: readonly Engine[] = isNightly ? ['sqlite', 'postgres'] : [first]
    for (const engine of engines) {
      void describe(`${name} (${engine})`, { concurrency }, () => suite(engine))
    }
  }

/** For long suites of the slow lane, such as those with much random input: on SQLite as well in `--nightly` only. */
export const onPostgresFirst = onOneFirst('postgres')

/** The same, for what depends on SQLite more: a file that is shared, or threads that wait for it. */
export const onSqliteFirst = onOneFirst('sqlite')

/** Runs of a random suite that takes long: a third in `npm run test:slow`, all in `--nightly`. */
export const nightlyRuns = (all: number): number => (isNightly ? all : Math.ceil(all / 3))

/**
 * The number of runs of a property, or of any loop over random input: a tenth in `npm test`, a third in
 * `npm run test:slow`, all in `--nightly`.
 */
export const runsInLane = (all: number): number =>
  isSlowLane ? nightlyRuns(all) : Math.ceil(all / 10)

/**
 * Inputs of a suite that takes long: each third in `npm run test:slow`, all in `--nightly`. Within a loop,
 * other inputs with each turn: after three turns it has had all of them.
 */
export const sampleInputs = <T>(all: readonly T[], turn = 0): readonly T[] =>
  isNightly ? all : all.filter((_, at) => (at + turn) % 3 === 0)

/**
 * For checks of what all operations share, such as the parsing of headers: all of them in `--nightly`,
 * else one operation of each kind, by method, by who may call it and by whether it has a body and a place
 * in its path.
 */
export function sampleOperations<T extends Operation>(operations: readonly T[]): readonly T[] {
  if (isNightly) return operations
  const kindOf = ({ method, access, body, path }: Operation) =>
    [method, access, body !== undefined, path.includes('{')].join()
  const kinds = Map.groupBy(operations, kindOf)
  return [...kinds.values()].flatMap(([first]) => first ?? [])
}
