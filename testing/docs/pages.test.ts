import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { averageSentenceLength, readDecisions, readPages, type Page } from './read-page.ts'

const pages = readPages()
const decisions = readDecisions()
const all = [...pages, ...decisions]

/** Targets of links to other files. */
const linksOf = ({ text }: Page) =>
  [...text.matchAll(/\]\(([^)]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !target.includes('://'))

describe('pages of the documentation', () => {
  test('sentences have fewer than 16 words on average', () => {
    const long = all
      .map((page) => ({ path: page.path, words: averageSentenceLength(page) }))
      .filter(({ path, words }) => words >= 16 && !/^(?:bench|docs\/adding)/.test(path))
    assert.deepEqual(long, [])
  })

  test('README, CONTRIBUTING and the glossary are short', () => {
    const find = (name: string) => all.find((page) => page.path === name)?.text ?? ''
    assert.ok(Buffer.byteLength(find('README.md')) < 8_000)
    assert.ok(Buffer.byteLength(find('CONTRIBUTING.md')) < 6_000)
    assert.ok(find('docs/glossary.md').trimEnd().split('\n').length < 60)
  })

  test('every decision has a line in the index', () => {
    const index = decisions.find((page) => page.path === 'docs/decisions/README.md')
    assert.ok(index)
    const listed = linksOf(index).filter((target) => /^\d{4}-/.test(target))
    const files = decisions
      .map((page) => page.path.replace('docs/decisions/', ''))
      .filter((file) => file !== 'README.md')
    assert.deepEqual(listed.toSorted(), files)
  })
})
