import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { prepareDatabases } from '../server/src/testing/engines.ts'
import { gapPrefix } from '../server/src/testing/inventory-world/report-gap.ts'
import { howToGetChromium, startChromium } from './browser/find-chromium.ts'
import { browserVariable } from './browser/open-browser.ts'
import { readyConsole } from './browser/ready-console.ts'
import { startPostgres } from './postgres.ts'
import { bundleMuster } from './runner/bundle-muster.ts'
import { createMemoryFolder } from './runner/memory-folder.ts'
import { failuresToList } from './runner/failures-to-list.ts'
import { runFiles, type FileResult } from './runner/run-files.ts'

/**
 * Runs the tests whose path contains one of the given words, or all of them. `--slow` runs the slow
 * tests, `--nightly` these in full and more, `--back-ends` those that need more than npm installs,
 * `--compute` those that boot servers in Nova. Browser tests run wherever a Chromium starts;
 * `--with-browser` makes a missing one a failure. `--repeat-failed` runs a failed file once more, with
 * nothing beside it, and lists it.
 */
const lanes = {
  '--slow': 'slow',
  '--nightly': 'nightly',
  '--back-ends': 'backend',
  '--compute': 'compute',
} as const
const flags = Object.keys(lanes) as (keyof typeof lanes)[]
const chosen = flags.find((flag) => process.argv.includes(flag))
const lane = chosen === undefined ? 'test' : lanes[chosen]
const needsBrowser = process.argv.includes('--with-browser')
const repeatsFailed = process.argv.includes('--repeat-failed')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))

process.env['TEST_LANE'] = lane
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compile')

const find = (suffix: string) =>
  globSync(`{contract,sdk,cli,gateway,console,server,simulator,testing}/**/*.${suffix}.ts`, {
    exclude: (path) => path.includes('node_modules'),
  }).filter((file) => words.length === 0 || words.some((word) => file.includes(word)))

const findFast = (suffix: string) => find(suffix).filter((file) => !/\.(slow|nightly)\./.test(file))
/** Files of which `npm test` runs a part, and this lane another one. */
const differs = {
  slow: /\b(onEngineOfLane|runsInLane|isSlowLane)\b/,
  nightly: /testing\/lanes\.ts'/,
}
const findSlow = (suffix: string, upTo: keyof typeof differs = 'slow') => [
  ...find(`slow.${suffix}`),
  ...findFast(suffix).filter((file) => differs[upTo].test(readFileSync(file, 'utf8'))),
]
const findNightly = (suffix: string) => [
  ...findSlow(suffix, 'nightly'),
  ...find(`nightly.${suffix}`),
]
/** Files of back ends of which the lane of back ends runs a part. */
const findNightlyBackEnds = () =>
  find('backend').filter((file) => differs.nightly.test(readFileSync(file, 'utf8')))

const files = {
  test: () => findFast('test'),
  slow: () => findSlow('test'),
  nightly: () => [...findNightly('test'), ...findNightlyBackEnds()],
  backend: () => find('backend'),
  compute: () => find('compute'),
}[lane]()
const inBrowser = {
  test: () => findFast('browser'),
  slow: () => findSlow('browser'),
  nightly: () => findNightly('browser'),
  backend: () => [],
  compute: () => [],
}[lane]()
const [leftToSlow, backEnds] =
  lane === 'test' ? [[...findSlow('test'), ...findSlow('browser')], find('backend')] : [[], []]

const started = performance.now()
const results: FileResult[] = []
const count = (of: (result: FileResult) => number) =>
  results.reduce((sum, result) => sum + of(result), 0)

function report(result: FileResult): void {
  results.push(result)
  const { file, passed, failures, diagnostics, seconds, cpuSeconds } = result
  const mark = failures.length === 0 ? '✔' : '✖'
  const times = `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s`
  process.stdout.write(`${mark} ${file} (${passed} passed, ${times})\n`)
  for (const text of diagnostics) process.stdout.write(`  ℹ ${text}\n`)
  for (const { title, error } of failures) {
    process.stdout.write(`  ✖ ${title}\n    ${error.replaceAll('\n', '\n    ')}\n`)
  }
}

/**
 * Started first, the longest files do not end alone: those that start processes or have the conformance
 * kit, then slow ones, then large ones.
 */
const longestFirst = (paths: readonly string[]) =>
  paths
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      const weight =
        text.length + (takesLong.test(text) ? 2e6 : 0) + (path.includes('.slow.') ? 1e6 : 0)
      return { path: resolve(path), weight }
    })
    .sort((one, other) => other.weight - one.weight)
    .map(({ path }) => path)
const takesLong = /describeConformance\(|testFaults\(|spawn-muster\.ts'|running-muster\.ts'/

/** The first start of a back end may have to install it. */
const needsBackEnd = lane === 'backend' || lane === 'compute'
/** All faults of all sources take up to two hours. Beside other work a slow file takes five times as long. */
const fileTimeout = lane === 'nightly' ? 7_500_000 : lane === 'test' ? 300_000 : 600_000

async function run(paths: readonly string[], workers: number): Promise<void> {
  await runFiles({
    files: longestFirst(paths),
    workers,
    fileTimeout: () => fileTimeout,
    onResult: report,
  })
}

/** One Chromium and one build of the console for all browser tests. */
async function runInBrowser(): Promise<void> {
  if (!chromium) return
  process.env[browserVariable] = chromium.wsEndpoint()
  await readyConsole(process.stdout)
  // Two, because browser tests mostly wait.
  await run(inBrowser, 2)
}

/**
 * A fault of the product fails more than a few files. Those are not repeated. On a busy machine foreign
 * software can fail several files of back ends at once.
 */
const maxRepeated = needsBackEnd ? 8 : 3

/** Runs failed files again. A busy machine can make a test fail that waits for a process. */
async function repeatFailed(): Promise<readonly FileResult[]> {
  const failed = results.filter(({ failures }) => failures.length > 0)
  if (!repeatsFailed || failed.length > maxRepeated) return []
  for (const result of failed) results.splice(results.indexOf(result), 1)
  await run(
    failed.map(({ file }) => file),
    1,
  )
  return failed
}

// Before the workers: for a moment it changes the environment, which they inherit.
const chromium = inBrowser.length === 0 ? undefined : await startChromium()
const hasBrowser = inBrowser.length === 0 || chromium !== undefined
// Back ends keep theirs on the disk: the paths of their sockets may not be longer.
const memoryFolder = needsBackEnd ? undefined : createMemoryFolder()
if (memoryFolder !== undefined) process.env['TMPDIR'] = memoryFolder
const postgres = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'muster-migrated-'))
await prepareDatabases(postgres.url, folder)
await bundleMuster()
// More than most machines have cores: many tests wait, for processes and most of all for back ends. Each
// worker compiles the same code again, so there are no more than needed.
const workers = { test: 3, slow: 4, nightly: 4, backend: 6, compute: 4 }[lane]
await Promise.all([runInBrowser(), run(files, workers)])
const repeated = await repeatFailed()
await chromium?.close()
await postgres.stop()
rmSync(memoryFolder ?? folder, { recursive: true, force: true })

function tellLeftOut(paths: readonly string[], why: string, how: string): void {
  if (paths.length === 0) return
  process.stdout.write(`\nNot run, because ${why}: ${paths.length} files. ${how}.\n`)
}
tellLeftOut(hasBrowser ? [] : inBrowser, 'no Chromium starts here', howToGetChromium)
tellLeftOut(leftToSlow, 'they are slow, or run in part above', 'Run them with: npm run test:slow')
tellLeftOut(
  backEnds,
  'they need more than npm installs (libvirt, Incus, emulators of EC2 and vCenter, OpenStack, a CAS server, Go)',
  'Run them with: npm test -- --back-ends',
)

const gaps = results
  .flatMap(({ diagnostics }) => diagnostics)
  .filter((text) => text.startsWith(gapPrefix))
if (gaps.length > 0) {
  process.stdout.write(`\nNot covered, for the reasons above: ${gaps.length} tests.\n`)
}

function listFailures(heading: string, of: readonly FileResult[]): void {
  const lines = of
    .flatMap(failuresToList)
    .map(({ title, error }) => `  ${title}\n    ${error.split('\n')[0]}\n`)
  if (lines.length > 0) process.stdout.write(`\n${heading}:\n${lines.join('')}`)
}
listFailures('Failed', results)
listFailures('Failed at first', repeated)
const passed = count((result) => result.passed)
const failures = count((result) => result.failures.length) + (needsBrowser && !hasBrowser ? 1 : 0)
const { user, system } = process.cpuUsage()
const cpuSeconds = count((result) => result.cpuSeconds) + (user + system) / 1e6
process.stdout.write(
  `\n${((performance.now() - started) / 1000).toFixed(0)} s, ${cpuSeconds.toFixed(0)} s of CPU in the test processes\n`,
)
process.stdout.write(`${passed} passed, ${failures} failed\n`)
process.exitCode = failures === 0 && passed > 0 ? 0 : 1
