import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { failuresToList } from './failures-to-list.ts'
import { runFiles, type FileResult } from './run-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-runner-'))
after(() => rmSync(folder, { recursive: true }))

const start = `import { after, before, beforeEach, describe, test } from 'node:test'
import assert from 'node:assert/strict'
`

/** Runs these files, in this order, in one worker. Returns the result of each. */
async function resultsInOneWorker(
  sources: Readonly<Record<string, string>>,
  { fileTimeout = 60_000, stopsAtFailure = false } = {},
) {
  const files = Object.entries(sources).map(([name, source]) => {
    const file = join(folder, name)
    writeFileSync(file, start + source)
    return file
  })
  const results: Record<string, FileResult> = {}
  await runFiles({
    files,
    workers: 1,
    fileTimeout: () => fileTimeout,
    stopsAtFailure,
    onResult: (result) => (results[basename(result.file)] = result),
  })
  return results
}

/** The same, with a line for each file. */
async function runInOneWorker(...parameters: Parameters<typeof resultsInOneWorker>) {
  const results = await resultsInOneWorker(...parameters)
  const outcomeOf = ({ passed, diagnostics, failures }: FileResult) =>
    [`${passed} passed`, ...diagnostics, ...failures.map(({ error }) => error.split('\n')[0])].join(
      ', ',
    )
  return Object.fromEntries(
    Object.entries(results).map(([name, result]) => [name, outcomeOf(result)]),
  )
}

const passing = `test('passes', () => {})`

describe('the test runner', () => {
  test('reports failures, crashes and broken files, and goes on', async () => {
    const told = await runInOneWorker({
      'fails.mjs': `describe('suite', () => { test('one', () => {}); test('two', () => assert.fail('wrong')) })`,
      'crashes.mjs': `test('one', () => process.kill(process.pid, 'SIGKILL'))`,
      'exits.mjs': `test('one', () => process.exit(0))`,
      'throws.mjs': `throw new Error('broken')`,
      'hook.mjs': `describe('suite', () => { before(() => { throw new Error('no hook') }); test('one', () => {}) })`,
      'skips.mjs': `test.skip('one', () => {})`,
      'skips-suite.mjs': `describe.skip('suite', () => { test('one', () => {}) })`,
      'late.mjs': `
        test('one', () => { setTimeout(() => { throw new Error('late') }, 10) })
        test('two', () => new Promise((resolve) => setTimeout(resolve, 200)))`,
      'rejects.mjs': `test('one', async () => {
        void Promise.reject(new Error('unhandled'))
        await new Promise((resolve) => setTimeout(resolve, 10))
      })`,
      'empty.mjs': '',
      'notes.mjs': `test('one', (context) => context.diagnostic('a note'))`,
      'passes.mjs': passing,
    })
    assert.deepEqual(told, {
      'fails.mjs': '1 passed, AssertionError [ERR_ASSERTION]: wrong',
      'crashes.mjs': '0 passed, The process of the file ended early (SIGKILL).',
      'exits.mjs': '0 passed, The process of the file ended early (exit code 0).',
      'throws.mjs': '0 passed, Error: broken',
      'hook.mjs': told['hook.mjs'],
      'skips.mjs': '0 passed, It is skipped or marked as a to-do.',
      'skips-suite.mjs': '0 passed, It is skipped or marked as a to-do.',
      'late.mjs': '2 passed, Error: late',
      'rejects.mjs': '1 passed, Error: unhandled',
      'empty.mjs': '0 passed, The file has no tests.',
      'notes.mjs': '1 passed, a note',
      'passes.mjs': '1 passed',
    })
    assert.match(told['hook.mjs'] ?? '', /^0 passed, .*no hook/)
  })

  test('lists what a failed hook cancels only if nothing else failed', async () => {
    const cancelled = `describe('cancelled', () => { test('one', () => {}); test('two', () => {}) })`
    const results = await resultsInOneWorker({
      'hook.mjs': `describe('suite', () => { before(() => { throw new Error('no hook') }); ${cancelled} })`,
    })
    const result = results['hook.mjs']
    assert.ok(result && result.failures.length > 1)
    const listed = failuresToList(result)
    assert.deepEqual(
      listed.map(({ error }) => error.split('\n')[0]),
      ['Error: no hook'],
    )
    const others = result.failures.filter((failure) => !listed.includes(failure))
    assert.deepEqual(failuresToList({ ...result, failures: others }), others)
  })

  test('ends a file that hangs, and names it', async () => {
    const told = await runInOneWorker(
      { 'hangs.mjs': `test('one', () => { for (;;); })`, 'passes.mjs': passing },
      { fileTimeout: 3_000 },
    )
    assert.deepEqual(told, {
      'hangs.mjs': '0 passed, The file did not finish within 3 seconds.',
      'passes.mjs': '1 passed',
    })
  })

  test('ends with the first failure on request', async () => {
    const failing = `test('one', () => {}); test('two', () => assert.fail('wrong')); test('three', () => new Promise((resolve) => setTimeout(resolve, 3_600_000)))`
    const told = await runInOneWorker(
      { 'first.mjs': passing, 'fails.mjs': failing, 'never.mjs': passing },
      { stopsAtFailure: true },
    )
    assert.deepEqual(Object.keys(told), ['first.mjs', 'fails.mjs'])
    assert.match(told['fails.mjs'] ?? '', /^1 passed, AssertionError.*: wrong/)
  })

  test('keeps hooks, variables and mocks of one file from the next', async () => {
    const told = await runInOneWorker({
      'first.mjs': `
        import { mock } from 'node:test'
        beforeEach(() => { globalThis.hooked = (globalThis.hooked ?? 0) + 1 })
        test('one', () => {
          process.env.LEFT_BEHIND = 'yes'
          delete process.env.PATH
          mock.method(Math, 'random', () => 7)
          mock.timers.enable({ apis: ['Date'], now: 5 })
        })`,
      'second.mjs': `test('two', () => {
        assert.equal(process.env.LEFT_BEHIND, undefined)
        assert.ok(process.env.PATH)
        assert.ok(Math.random() < 1)
        assert.ok(Date.now() > 5)
        assert.equal(globalThis.hooked, 1)
      })`,
    })
    assert.deepEqual(told, { 'first.mjs': '1 passed', 'second.mjs': '1 passed' })
  })
})
