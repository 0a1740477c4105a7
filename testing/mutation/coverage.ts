import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runFiles } from '../runner/run-files.ts'

/** Which parts of the files a test file runs: pairs of a start and an end. */
export interface Coverage {
  readonly test: string
  /** Of CPU time, which says more than the clock on a busy machine. */
  readonly seconds: number
  readonly isPassing: boolean
  readonly parts: Readonly<Record<string, readonly (readonly [number, number])[]>>
}

interface Report {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[]
    }[]
  }[]
}

const cache = 'node_modules/.cache/mutation'
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Marks what one process ran. Ranges of functions and blocks are inside each other; the inner one counts. */
function markRun(ran: Uint8Array, { functions }: Report['result'][number]): void {
  const own = new Uint8Array(ran.length)
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset)
  for (const { startOffset, endOffset, count } of ranges) {
    own.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  own.forEach((isRun, offset) => (ran[offset] ||= isRun))
}

function toParts(ran: Uint8Array): [number, number][] {
  const parts: [number, number][] = []
  for (let start = ran.indexOf(1); start !== -1;) {
    const end = ran.indexOf(0, start)
    parts.push([start, end === -1 ? ran.length : end])
    start = end === -1 ? -1 : ran.indexOf(1, end)
  }
  return parts
}

/** A process that was killed may have left a part of its report. Another one may have the same coverage. */
function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { result: [] }
  }
}

async function measure(test: string, sources: ReadonlyMap<string, string>): Promise<Coverage> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-coverage-'))
  process.env['NODE_V8_COVERAGE'] = folder
  let [seconds, isPassing] = [0, false]
  await runFiles({
    files: [resolve(test)],
    workers: 1,
    fileTimeout: () => 300_000,
    onResult: (result) => {
      seconds = result.cpuSeconds
      isPassing = result.failures.length === 0
    },
  })
  delete process.env['NODE_V8_COVERAGE']
  const fileOf = new Map([...sources.keys()].map((file) => [pathToFileURL(file).href, file]))
  const ran = new Map<string, Uint8Array>()
  const own = pathToFileURL(test).href
  let isComplete = false
  for (const name of readdirSync(folder)) {
    for (const script of readReport(join(folder, name)).result) {
      isComplete ||= script.url === own
      const file = fileOf.get(script.url)
      if (file === undefined) continue
      const marks = ran.get(file) ?? new Uint8Array(sources.get(file)?.length ?? 0)
      markRun(marks, script)
      ran.set(file, marks)
    }
  }
  rmSync(folder, { recursive: true })
  const parts = Object.fromEntries([...ran].map(([file, marks]) => [file, toParts(marks)]))
  return { test, seconds, isPassing: isPassing && isComplete, parts }
}

interface Cached extends Coverage {
  readonly own: string
  readonly digests: Readonly<Record<string, string>>
}

/**
 * Runs a test file in a process of its own and returns what it covers of the given files. Results are
 * cached until the test file, or one of the mutated files that it ran, changes.
 */
export function createCoverageReader(
  sources: ReadonlyMap<string, string>,
  mutated: ReadonlySet<string>,
  onMeasured: (coverage: Coverage) => void,
): (test: string) => Promise<Coverage> {
  mkdirSync(cache, { recursive: true })
  const digests = new Map([...sources].map(([file, source]) => [file, hashOf(source)]))
  const results = new Map<string, Coverage>()

  function readCached(path: string, own: string): Coverage | undefined {
    if (!existsSync(path)) return undefined
    const cached = JSON.parse(readFileSync(path, 'utf8')) as Cached
    const isFresh =
      cached.own === own &&
      Object.entries(cached.digests).every(
        ([file, digest]) => !mutated.has(file) || digests.get(file) === digest,
      )
    return isFresh ? cached : undefined
  }

  async function read(test: string): Promise<Coverage> {
    const own = hashOf(readFileSync(test, 'utf8'))
    const path = join(cache, `${hashOf(test)}.json`)
    const cached = readCached(path, own)
    if (cached) return cached
    const coverage = await measure(test, sources)
    const used = Object.keys(coverage.parts).map((file) => [file, digests.get(file)])
    // One that failed may pass when the machine is less busy.
    if (coverage.isPassing) {
      writeFileSync(path, JSON.stringify({ ...coverage, own, digests: Object.fromEntries(used) }))
    }
    onMeasured(coverage)
    return coverage
  }

  return async (test) => {
    const coverage = results.get(test) ?? (await read(test))
    results.set(test, coverage)
    return coverage
  }
}
