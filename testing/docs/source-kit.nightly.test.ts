import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { repository } from '../../server/src/testing/spawn-muster.ts'
import { loadExample } from './load-example.ts'
import { mistakes } from './wrong-sources.ts'

const { folder, kind, describeExample } = await loadExample()
after(() => rmSync(folder, { recursive: true }))

// The source and the tests of the page, as a reader would write them.
describeExample(kind)

// Here rather than in `npm test`, because the compiler reads most of the server.
test('the code of the page compiles', async () => {
  const compilerOptions = { typeRoots: [join(repository, 'node_modules/@types')] }
  const options = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['.'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const compile = promisify(execFile)
  const tsc = join(repository, 'node_modules/.bin/tsc')
  const { stdout } = await compile(tsc, ['-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  )
  assert.equal(stdout, '')
})

const wrongSource = fileURLToPath(import.meta.resolve('./run-wrong-source.ts'))

/** Runs tests of the kit in a process of their own, and returns the titles of those that pass and fail. */
async function runKit(titles: readonly string[], environment: Readonly<Record<string, string>>) {
  const patterns = titles.map((title) => `--test-name-pattern=${title}`)
  const flags = ['--test-reporter=tap', '--test-force-exit', ...patterns]
  const env = { ...process.env, ...environment }
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...flags, wrongSource], { env }, (_error, stdout) =>
      resolve(stdout),
    )
  })
  const found = [...output.matchAll(/^ *(not ok|ok) \d+ - (.*)$/gm)]
  const titlesOf = (result: string) =>
    found.flatMap(([, one, title = '']) => (one === result && titles.includes(title) ? title : []))
  return { passed: titlesOf('ok'), failed: titlesOf('not ok'), output }
}

describe('the conformance kit', { concurrency: true }, () => {
  test('passes a source without a mistake', async () => {
    const titles = [...new Set(Object.values(mistakes).map(([title]) => title))].sort()
    const { passed, failed, output } = await runKit(titles, {})
    assert.deepEqual([passed.toSorted(), failed], [titles, []], output)
  })

  for (const [mistake, [title, failure]] of Object.entries(mistakes)) {
    test(`finds the mistake ${mistake}`, async () => {
      const environment = { EXAMPLE_MISTAKE: mistake, CONFORMANCE_TEST_TIMEOUT: '8000' }
      const { failed, output } = await runKit([title], environment)
      assert.deepEqual(failed, [title], output)
      assert.match(output, failure)
    })
  }
})
