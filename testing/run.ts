import { globSync, readFileSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { prepareDatabases } from '../server/src/testing/engines.ts'
import { howToGetChromium, startChromium } from './browser/find-chromium.ts'
import { browserVariable } from './browser/open-browser.ts'
import { readyConsole } from './browser/ready-console.ts'
import { startPostgres } from './postgres.ts'

/**
 * Runs the tests (all, or those whose path holds one of the words given) beside a real PostgreSQL.
 * Those that take long, and those that need more than npm brings, such as a hypervisor, run only when
 * asked for. Those in a browser run wherever a Chromium starts; `--with-browser` insists on one.
 */
const lanes = { '--slow': 'slow', '--back-ends': 'backend' } as const
const flags = Object.keys(lanes) as (keyof typeof lanes)[]
const asked = flags.find((flag) => process.argv.includes(flag))
const lane = asked === undefined ? 'test' : lanes[asked]
const needsBrowser = process.argv.includes('--with-browser')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
process.env['TEST_LANE'] = lane

const find = (pattern: string) =>
  globSync(`{contract,sdk,gateway,console,server,simulator,testing}/**/*.${pattern}.ts`, {
    exclude: (path) => path.includes('node_modules'),
  }).filter((file) => words.length === 0 || words.some((word) => file.includes(word)))

/** Suites that take turns with the engines: on SQLite in one lane, on PostgreSQL in the other. */
const takesTurns = (file: string) => readFileSync(file, 'utf8').includes('onBothEnginesInTurn')
const isSlow = (file: string) => file.endsWith('.slow.test.ts')
const findFast = () => find('test').filter((file) => !isSlow(file))
const findSlow = () => [...find('slow.test'), ...findFast().filter(takesTurns)]

const files = { test: findFast, slow: findSlow, backend: () => find('backend') }[lane]()
const [slow, backEnds, inBrowser] =
  lane === 'test' ? [findSlow(), find('backend'), find('browser')] : [[], [], []]

// Every test file is a process of its own: what one has compiled the next need not.
process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.cache/compile'

let passed = 0
let failed = 0

async function runTests(options: Parameters<typeof run>[0]): Promise<void> {
  if (options?.files?.length === 0) return
  const results = run({ timeout: 240_000, ...options })
  results.on('test:pass', ({ details, skip, todo }) => {
    if (details.type === 'suite') return
    if (skip !== undefined || todo !== undefined) failed += 1
    else passed += 1
  })
  results.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') failed += 1
  })
  for await (const text of results.compose(spec)) process.stdout.write(text as string)
}

// What needs no platform leaves nothing behind: one process for all of them saves half a minute. It
// ends when nothing else is going on, so it comes before the database.
const isPure = (file: string) => /^(?:contract|console|server\/src\/domain)\//.test(file)
await runTests({ files: files.filter(isPure), isolation: 'none' })
const platforms = files.filter((file) => !isPure(file))
if (platforms.length > 0) {
  const postgres = await startPostgres()
  process.env['TEST_POSTGRES_URL'] = postgres.url
  await prepareDatabases(postgres.url)
  // One more than most machines have cores for: some tests mostly wait.
  await runTests({ files: platforms, concurrency: 3 })
  await postgres.stop()
}

/** One browser for all of them, and one console. Says whether there was one. */
async function runInBrowser(): Promise<boolean> {
  if (inBrowser.length === 0) return true
  const chromium = await startChromium()
  if (!chromium) return false
  process.env[browserVariable] = chromium.wsEndpoint()
  await readyConsole(process.stdout)
  await runTests({ files: inBrowser, concurrency: 2 })
  await chromium.close()
  return true
}
const hadBrowser = await runInBrowser()
if (!hadBrowser && needsBrowser) failed += 1

function tellLeftOut(files: readonly string[], why: string, how: string): void {
  if (files.length === 0) return
  process.stdout.write(`\nLeft out, since ${why}:\n  ${files.join('\n  ')}\n${how}.\n`)
}
tellLeftOut(
  hadBrowser ? [] : inBrowser,
  'no Chromium starts here',
  `To run them: ${howToGetChromium}`,
)
tellLeftOut(slow, 'they take long, or for PostgreSQL', 'npm run test:slow runs them')
tellLeftOut(
  backEnds,
  'they need more than npm brings (apt: libvirt and QEMU; pip: an emulator of EC2, a CAS server; Go; the network)',
  'npm test -- --back-ends runs them',
)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
