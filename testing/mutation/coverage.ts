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
  for (const name of readdirSync(folder)) {
    for (const script of readReport(join(folder, name)).result) {
      const file = fileOf.get(script.url)
      if (file === undefined) continue
      const marks = ran.get(file) ?? new Uint8Array(sources.get(file)?.length ?? 0)
      markRun(marks, script)
      ran.set(file, marks)
    }
  }
  rmSync(folder, { recursive: true })
  const parts = Object.fromEntries([...ran].map(([file, marks]) => [file, toParts(marks)]))
  return { test, seconds, isPassing, parts }
}

/**
 * Runs each test file in a process of its own and returns what it covers of the given files. Results are
 * cached until the test file, or one of the mutated files that it ran, changes.
 */
export async function measureCoverage(
  tests: readonly string[],
  sources: ReadonlyMap<string, string>,
  mutated: ReadonlySet<string>,
  onMeasured: (coverage: Coverage, left: number) => void,
): Promise<readonly Coverage[]> {
  mkdirSync(cache, { recursive: true })
  const digests = new Map([...sources].map(([file, source]) => [file, hashOf(source)]))
  const all: Coverage[] = []
  for (const [index, test] of tests.entries()) {
    const own = hashOf(readFileSync(test, 'utf8'))
    const path = join(cache, `${hashOf(test)}.json`)
    const known = existsSync(path)
      ? (JSON.parse(readFileSync(path, 'utf8')) as Coverage & {
          own: string
          digests: Record<string, string>
        })
      : undefined
    const isFresh =
      known?.own === own &&
      Object.entries(known.digests).every(
        ([file, digest]) => !mutated.has(file) || digests.get(file) === digest,
      )
    if (known && isFresh) {
      all.push(known)
      continue
    }
    const coverage = await measure(test, sources)
    const used = Object.keys(coverage.parts).map((file) => [file, digests.get(file)])
    // One that failed may pass when the machine is less busy.
    if (coverage.isPassing) {
      writeFileSync(path, JSON.stringify({ ...coverage, own, digests: Object.fromEntries(used) }))
    }
    onMeasured(coverage, tests.length - index - 1)
    all.push(coverage)
  }
  return all
}
