import { globSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startPostgres } from './postgres.ts'

/** Runs the tests (all, or those whose path holds one of the words given) beside a real PostgreSQL. */
const words = process.argv.slice(2)
const files = globSync('{contract,server,testing}/**/*.test.ts', {
  exclude: (path) => path.includes('node_modules'),
}).filter((file) => words.length === 0 || words.some((word) => file.includes(word)))

const postgres = await startPostgres()
process.env['TEST_POSTGRES_URL'] = postgres.url

let passed = 0
let failed = 0
const results = run({ files, concurrency: 2, timeout: 240_000 })
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
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
