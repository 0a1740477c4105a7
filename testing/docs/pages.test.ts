import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { adminCommands } from '../../server/src/admin/commands.ts'
import { settings } from '../../server/src/config/settings.ts'
import { kinds } from '../../server/src/sources/kinds.ts'
import { repository } from '../../server/src/testing/spawn-muster.ts'
import { averageSentenceLength, readDecisions, readPages, type Page } from './read-page.ts'

const pages = readPages()
const decisions = readDecisions()
const all = [...pages, ...decisions]

/** Top-level folders, by which a text between backticks is recognised as a path of the repository. */
const path =
  /`((?:bench|console|contract|docs|gateway|sdk|server|simulator|testing|deploy)\/[\w./-]+)`/g

/** Pages for operators. Other programs' options in them are listed below. */
const operatorPages =
  /operating|administering|installing|sizing|high-availability|hardening|upgrading|troubleshooting|decisions/
const foreignFlags = new Set(
  'help version name read-only tmpfs cap-drop security-opt from-file replicas offline'.split(' '),
)

const folders = 'bench,console,contract,gateway,packaging,sdk,server,simulator,testing'
const sourceFiles = globSync(`{${folders}}/**/*.{ts,tsx}`, {
  cwd: repository,
  exclude: (file) => /node_modules|dist/.test(file),
})

const exists = (...parts: string[]) => existsSync(join(repository, ...parts))

/** Targets of links to other files. */
const linksOf = ({ text }: Page) =>
  [...text.matchAll(/\]\(([^)]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !target.includes('://'))

describe('pages of the documentation', () => {
  test('every path that is named exists', () => {
    const missing = all.flatMap((page) =>
      [...page.text.matchAll(path)]
        .map(([, named = '']) => named)
        .filter((named) => !exists(named))
        .map((named) => `${page.path}: ${named}`),
    )
    assert.deepEqual(missing, [])
  })

  test('every source file that is mentioned exists', () => {
    const files = sourceFiles.map((file) => `/${file}`)
    const missing = all.flatMap((page) =>
      [...page.text.matchAll(/`(\w[\w./-]*\.tsx?)`/g)]
        .map(([, mentioned = '']) => mentioned)
        .filter((mentioned) => !files.some((file) => file.endsWith(`/${mentioned}`)))
        .map((mentioned) => `${page.path}: ${mentioned}`),
    )
    assert.deepEqual(missing, [])
  })

  test('the table of caches has all caches, by the names that the metrics use', () => {
    const engine = all.find((page) => page.path === 'docs/inventory-engine.md')?.text ?? ''
    const listed = [...engine.matchAll(/^\| `(\w+)` +\| `([\w./-]+)`/gm)].map(
      ([, name, file]) => `${name} in ${file}`,
    )
    const created = sourceFiles
      .filter((file) => file.startsWith('server/src/') && !file.endsWith('.test.ts'))
      .flatMap((file) =>
        [
          ...readFileSync(join(repository, file), 'utf8').matchAll(
            /createCache<[^(]*\(\s*memory,\s*'(\w+)'/g,
          ),
        ].map(([, name]) => `${name} in ${file.replace('server/src/', '')}`),
      )
    assert.ok(created.length > 0)
    assert.deepEqual(listed.toSorted(), created.toSorted())
  })

  test('every link leads to a file', () => {
    const broken = all.flatMap((page) =>
      linksOf(page)
        .filter((target) => !exists(dirname(page.path), target))
        .map((target) => `${page.path}: ${target}`),
    )
    assert.deepEqual(broken, [])
  })

  test('every flag that operators are told about exists', () => {
    const flags = new Set(
      Object.values(settings).map((setting) => 'flag' in setting && setting.flag),
    )
    for (const { usage } of adminCommands) {
      for (const [, flag = ''] of usage.matchAll(/--([a-z-]+)/g)) flags.add(flag)
    }
    const unknown = all
      .filter((page) => operatorPages.test(page.path))
      .flatMap(({ text }) => [...text.matchAll(/--([a-z][a-z-]+)/g)].map(([, flag]) => flag ?? ''))
      .filter((flag) => !foreignFlags.has(flag) && !flags.has(flag))
    assert.deepEqual(unknown, [])
  })

  test('sentences have fewer than 16 words on average, per page and in all decisions', () => {
    const text = decisions.map((page) => page.text).join('\n\n')
    const long = [...pages, { path: 'docs/decisions', text, blocks: [] }]
      .map((page) => ({ path: page.path, words: averageSentenceLength(page) }))
      .filter(({ words }) => words >= 16)
    assert.deepEqual(long, [])
  })

  test('README, CONTRIBUTING and the glossary are short', () => {
    const find = (name: string) => all.find((page) => page.path === name)?.text ?? ''
    assert.ok(Buffer.byteLength(find('README.md')) < 8_000)
    assert.ok(Buffer.byteLength(find('CONTRIBUTING.md')) < 6_000)
    assert.ok(find('docs/glossary.md').trimEnd().split('\n').length < 66)
  })

  test('the pages of the sources have the permissions that the attach form shows', async () => {
    const blocks = new Set(
      pages
        .filter((page) => page.path.startsWith('docs/sources/'))
        .flatMap((page) => page.blocks.map(({ text }) => text.trim())),
    )
    const loaded = await Promise.all([...kinds.values()].map((load) => load()))
    const missing = loaded.flatMap(({ title, rights, acting }) =>
      [...rights, ...(acting?.rights ?? [])]
        .filter(({ text }) => !blocks.has(text.trim()))
        .map((one) => `${title}: ${one.title}`),
    )
    assert.deepEqual(missing, [])
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
