import { globSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { prepareDatabases } from '../server/src/testing/engines.ts'
import { startPostgres } from './postgres.ts'

/**
 * Runs the tests (all, or those whose path holds one of the words given) beside a real PostgreSQL.
 * Those that need more than npm brings, such as a CAS server, run only when asked for.
 */
const backEndFlag = '--back-ends'
const [withBackEnds, words] = [
  process.argv.includes(backEndFlag),
  process.argv.slice(2).filter((word) => word !== backEndFlag),
]

const find = (pattern: string) =>
  globSync(`{contract,server,testing}/**/*.${pattern}.ts`, {
    exclude: (path) => path.includes('node_modules'),
  }).filter((file) => words.length === 0 || words.some((word) => file.includes(word)))

const files = find(withBackEnds ? 'backend' : 'test')
const leftOut = withBackEnds ? [] : find('backend')

// Every test file is a process of its own: what one has compiled the next need not.
process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.cache/compile'

const postgres = await startPostgres()
process.env['TEST_POSTGRES_URL'] = postgres.url
await prepareDatabases(postgres.url)

let passed = 0
let failed = 0
// One more than most machines have cores for: some tests mostly wait.
const results = run({ files, concurrency: 3, timeout: 240_000 })
results.on('test:pass', ({ details, skip, todo }) => {
  if (details.type === 'suite') return
  if (skip !== undefined || todo !== undefined) failed += 1
  else passed += 1
})
results.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') failed += 1
})
for await (const text of results.compose(spec)) process.stdout.write(text as string)

await postgres.stop()
if (leftOut.length > 0) {
  process.stdout.write(
    `\nLeft out, since they need Python, Go and the network:\n  ${leftOut.join('\n  ')}\nnpm test -- ${backEndFlag} runs them.\n\n`,
  )
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
