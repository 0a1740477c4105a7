import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../../server/src/testing/spawn-muster.ts'
import { readPages } from './read-page.ts'

/** The product code, with "…" for what it inserts into texts. */
function readCode(): string {
  const files = globSync(['{server,gateway}/src/**/*.ts', 'packaging/muster.mjs'], {
    cwd: repository,
    exclude: (path) => path.includes('testing') || path.includes('.test.'),
  })
  return files
    .map((file) => readFileSync(join(repository, file), 'utf8').replaceAll(/\$\{[^}]*\}/g, '…'))
    .join('\n')
}

/** Texts between backticks in the first column that are sentences, not commands or names. */
function readQuotes(page: string): string[] {
  const cells = [...page.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell)
  return cells
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, quote = '']) => quote))
    .filter((quote) => quote.includes(' '))
}

test('every error that the page of troubleshooting quotes is in the code', () => {
  const page = readPages().find(({ path }) => path === 'docs/troubleshooting.md')
  const quotes = readQuotes(page?.text ?? '')
  assert.ok(quotes.length > 30)
  const code = readCode()
  assert.deepEqual(
    quotes.filter((quote) => !code.includes(quote)),
    [],
  )
})
