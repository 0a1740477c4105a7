import assert from 'node:assert/strict'
import { it } from 'node:test'
import { en } from './index.ts'
import { addLaterMessages } from './later.ts'

addLaterMessages()

type Text = (...values: readonly unknown[]) => unknown

/** All texts with each number as 1. It is formatted, unless the text compares it as a number. */
function* textsOfOne(
  value: unknown,
  path: string,
): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) yield* textsOfOne(part, `${path}.${key}`)
  }
  if (typeof value !== 'function') return
  const one = /=== 1\b/.test(String(value)) ? 1 : '1'
  try {
    const text = (value as Text)(...Array.from({ length: 5 }, () => one))
    if (typeof text === 'string') yield [path, text]
  } catch {
    // It takes something else than numbers.
  }
}

/** Their numbers are constants above 1. */
const limits = /tooManyTags|TooLong|actions\.tooMany|changesIn|problems\.tooMany/
const nouns =
  'account|batche|change|check|core|disk|event|group|location|other|project|provider|region|role|server|session|task|user|vCPU|violation'

it('names one of something in the singular', () => {
  const texts = [...textsOfOne(en, 'en')]
  assert(texts.length > 300, `${texts.length}`)
  const manyOfOne = new RegExp(`\\b1 (?:\\w+ )?(?:${nouns})s\\b`)
  const wrong = texts.filter(([path, text]) => !limits.test(path) && manyOfOne.test(text))
  assert.deepEqual(wrong, [])
})
