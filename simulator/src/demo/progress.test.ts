import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProgress } from './progress.ts'

function startProgress() {
  const texts: string[] = []
  let now = 1_000
  const output = { write: (text: string) => texts.push(text) }
  const progress = createProgress({ output, title: 'Loading', total: 100_000, time: () => now })
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
  test('shows only the end of a short load', () => {
    const { texts, progress, after } = startProgress()
    after(500, 50_000)
    after(500 - 1, 100_000)
    progress.end()
    assert.deepEqual(texts, ['Loading: 100 %, 100,000 of 100,000, 100,100/s\n'])
  })

  test('is a line at intervals', () => {
    const { texts, progress, after } = startProgress()
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
})
