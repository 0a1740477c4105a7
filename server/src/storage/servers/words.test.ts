import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { Violation } from '../violation.ts'
import { createNumbers } from './numbers.ts'
import { createWords, type Codes } from './words.ts'

onBothEngines('words by their codes', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  const process = () => createWords(storage.database, createNumbers(storage.database))
  type CodesOf = ReturnType<typeof process>

  /** Words with what is needed for them to be there, as often as somebody else was first. */
  async function write(codesOf: CodesOf, words: readonly string[]): Promise<Codes> {
    for (;;) {
      const { codes, statements, settle } = await codesOf(new Set(words))
      try {
        await storage.database.commitFleet(statements, new Set())
        settle(true)
        return codes
      } catch (error) {
        settle(false)
        if (!(error instanceof Violation && error.reason === 'words')) throw error
      }
    }
  }

  async function kept(): Promise<Map<string, number>> {
    const rows = await storage.database.read.selectFrom('words').select(['word', 'code']).execute()
    assert.equal(new Set(rows.map(({ word }) => word)).size, rows.length)
    return new Map(rows.map(({ word, code }) => [word, code]))
  }

  const odd = ['', ' ', 'a', 'A', 'ä', 'a\u0308', 'ΟΔΟΣ', 'x'.repeat(1024), "'", '%', '😀', 'İ']
  const pick = (codes: Codes, words: readonly string[]) => words.map((word) => codes.get(word))

  test('each word has one, for good, and no two have the same', async () => {
    const codes = pick(await write(process(), odd), odd)
    assert.equal(new Set(codes).size, odd.length)
    assert.ok(!codes.includes(undefined))
    const again = process()
    assert.deepEqual(pick(await write(again, odd.toReversed()), odd), codes)
    assert.deepEqual(pick(await write(again, [...odd, 'new']), odd), codes)
    assert.deepEqual(pick(await kept(), odd), codes)
  })

  test('several who meet the same words at once agree on them', async () => {
    const words = Array.from({ length: 700 }, (_, at) => `w${at}`)
    const turned = words.toReversed()
    const all = await Promise.all(
      [words, turned, words, turned].map((each) => write(process(), each)),
    )
    const there = pick(await kept(), words)
    for (const codes of all) assert.deepEqual(pick(codes, words), there)
    assert.equal(new Set(there).size, words.length)
  })

  test('commits of one process that are under way at once give a word the same code', async () => {
    const codesOf = process()
    const first = await codesOf(new Set(['shared', 'one']))
    const second = await codesOf(new Set(['shared', 'two']))
    assert.equal(first.codes.get('shared'), second.codes.get('shared'))
    // The first one never comes: the second brings the word all the same.
    first.settle(false)
    await storage.database.commitFleet(second.statements, new Set())
    second.settle(true)
    const there = await kept()
    assert.equal(there.get('shared'), second.codes.get('shared'))
    assert.equal(there.has('one'), false)
    const after = await write(codesOf, ['shared', 'one', 'two'])
    assert.deepEqual(pick(after, ['shared', 'two']), pick(there, ['shared', 'two']))
  })

  test('nothing is written with the code of a word to which somebody else gave another', async () => {
    const late = await process()(new Set(['contested', 'own']))
    const codes = await write(process(), ['contested'])
    assert.notEqual(late.codes.get('contested'), codes.get('contested'))
    await assert.rejects(storage.database.commitFleet(late.statements, new Set()), {
      reason: 'words',
    })
    const there = await kept()
    assert.equal(there.get('contested'), codes.get('contested'))
    assert.equal(there.has('own'), false)
  })

  test('a commit that fails while others wait for codes leaves no two words with the same', async () => {
    const numbers = createNumbers(storage.database)
    let hold: Promise<unknown> = Promise.resolve()
    const codesOf = createWords(storage.database, async (counts) => {
      const taken = await numbers(counts)
      await hold
      return taken
    })
    const failing = await codesOf(new Set(['lost', 'gone']))
    const gate = Promise.withResolvers<void>()
    hold = gate.promise
    // These two lean on the codes above, until those are taken back.
    const waiting = [codesOf(new Set(['lost', 'third'])), codesOf(new Set(['gone', 'fourth']))]
    await new Promise((resolve) => setTimeout(resolve, 50))
    failing.settle(false)
    gate.resolve()
    const [one, other] = await Promise.all(waiting)
    assert(one && other)
    const codes = [...one.codes.values(), ...other.codes.values()]
    assert.equal(new Set(codes).size, 4)
    for (const { statements, settle } of [one, other]) {
      await storage.database.commitFleet(statements, new Set())
      settle(true)
    }
    const there = await kept()
    for (const { codes } of [one, other]) {
      for (const [word, code] of codes) assert.equal(there.get(word), code, word)
    }
  })

  test('a code that another word has counts for nothing', async () => {
    const codes = await write(process(), ['owner'])
    const taken = codes.get('owner') ?? 0
    const thief = createWords(storage.database, async () => ({
      server: 0,
      word: taken,
      revision: 0,
    }))
    const { statements } = await thief(new Set(['thief']))
    await assert.rejects(storage.database.commitFleet(statements, new Set()))
    assert.equal((await kept()).has('thief'), false)
  })
})
