import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createNumbers } from './numbers.ts'
import { createTextDictionary, type Codes } from './text-dictionary.ts'

onBothEngines('the text dictionary', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  const process = () => createTextDictionary(storage.database, createNumbers(storage.database))
  type CodesOf = ReturnType<typeof process>

  const write = (codesOf: CodesOf, words: readonly string[]): Promise<Codes> =>
    codesOf(new Set(words))

  async function kept(): Promise<Map<string, number>> {
    const rows = await storage.database.db.selectFrom('words').select(['word', 'code']).execute()
    assert.equal(new Set(rows.map(({ word }) => word)).size, rows.length)
    return new Map(rows.map(({ word, code }) => [word, code]))
  }

  const odd = ['', ' ', 'a', 'A', 'ä', 'a\u0308', 'ΟΔΟΣ', 'x'.repeat(1024), "'", '%', '😀', 'İ']
  const pick = (codes: Codes, words: readonly string[]) => words.map((word) => codes.get(word))

  test('gives each text a permanent and unique code', async () => {
    const codes = pick(await write(process(), odd), odd)
    assert.equal(new Set(codes).size, odd.length)
    assert.ok(!codes.includes(undefined))
    const again = process()
    assert.deepEqual(pick(await write(again, odd.toReversed()), odd), codes)
    assert.deepEqual(pick(await write(again, [...odd, 'new']), odd), codes)
    assert.deepEqual(pick(await kept(), odd), codes)
  })

  test('gives concurrent writers of the same texts the same codes', async () => {
    const words = Array.from({ length: 700 }, (_, at) => `w${at}`)
    const turned = words.toReversed()
    const all = await Promise.all(
      [words, turned, words, turned].map((each) => write(process(), each)),
    )
    const there = pick(await kept(), words)
    for (const codes of all) assert.deepEqual(pick(codes, words), there)
    assert.equal(new Set(there).size, words.length)
  })

  test('gives two commits of one process with the same new text the same code', async () => {
    const codesOf = process()
    const [one, other] = await Promise.all([
      codesOf(new Set(['shared', 'one'])),
      codesOf(new Set(['shared', 'two'])),
    ])
    assert.equal(one.get('shared'), other.get('shared'))
    assert.equal((await kept()).get('shared'), one.get('shared'))
  })

  test('stores a text before any server is written with it', async () => {
    const codes = await process()(new Set(['early']))
    assert.equal((await kept()).get('early'), codes.get('early'))
  })

  test('never reuses the code of another text', async () => {
    const codes = await write(process(), ['owner'])
    const taken = codes.get('owner') ?? 0
    const thief = createTextDictionary(storage.database, async () => ({
      server: 0,
      word: taken,
      revision: 0,
    }))
    assert.equal((await thief(new Set(['thief']))).has('thief'), false)
    assert.equal((await kept()).has('thief'), false)
  })
})
