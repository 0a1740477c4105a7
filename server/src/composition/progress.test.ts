import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProgress } from './progress.ts'

function stage(isTTY: boolean, from = 0) {
  const texts: string[] = []
  let now = 1_000
  const output = { isTTY, write: (text: string) => texts.push(text) }
  const progress = createProgress({
    output,
    title: 'Loading',
    total: 100_000,
    from,
    time: () => now,
  })
  return {
    texts,
    progress,
    after(milliseconds: number, done: number): void {
      now += milliseconds
      progress.advance(done)
    },
  }
}

describe('progress', () => {
  test('says nothing of what is over in a moment', () => {
    for (const isTTY of [true, false]) {
      const { texts, progress, after } = stage(isTTY)
      after(100, 50_000)
      after(150, 100_000)
      progress.end()
      assert.deepEqual(texts, [])
    }
  })

  test('is a line now and then where there is no terminal', () => {
    const { texts, progress, after } = stage(false)
    after(1_000, 10_000)
    after(1_000, 20_000)
    after(3_999, 50_000)
    after(1, 50_000)
    after(4_000, 100_000)
    progress.end()
    assert.deepEqual(texts, [
      'Loading: 10 %, 10,000 of 100,000, 10,000/s, 0:09 left\n',
      'Loading: 50 %, 50,000 of 100,000, 8,333/s, 0:06 left\n',
      'Loading: 100 %, 100,000 of 100,000, 10,000/s\n',
    ])
  })

  test('is a bar on a terminal, redrawn in place and left standing at the end', () => {
    const { texts, progress, after } = stage(true)
    after(1_000, 25_000)
    after(50, 26_000)
    after(50, 50_000)
    after(1_000, 100_000)
    progress.end()
    assert.equal(texts.length, 5)
    for (const text of texts.slice(0, -1)) assert.match(text, /^\rLoading [█░]{24} \d+ %, [^\n]*$/)
    assert.match(texts[0] ?? '', /█{6}░{18} 25 %, 25,000 of 100,000, 25,000\/s, 0:03 left/)
    assert.match(texts[3] ?? '', /█{24} 100 %/)
    assert.equal(texts[4], '\n')
  })

  test('counts what was done before, but not to the rate', () => {
    const { texts, after } = stage(false, 90_000)
    after(1_000, 91_000)
    assert.deepEqual(texts, ['Loading: 91 %, 91,000 of 100,000, 1,000/s, 0:09 left\n'])
  })
})
