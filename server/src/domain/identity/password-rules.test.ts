import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../error.ts'
import { requireGoodPassword } from './password-rules.ts'

const refuses = (password: string, why: RegExp) =>
  assert.rejects(requireGoodPassword(password), (error) => {
    assert.ok(error instanceof PlatformError)
    assert.equal(error.class, 'WeakPasswordError')
    assert.match(error.message, why)
    return true
  })

describe('the rules for passwords', () => {
  test('eight characters are enough and seven are not, whatever they weigh', async () => {
    await refuses('kq7-vbz', /at least 8/)
    await requireGoodPassword('kq7-vbzw')
    await refuses('🦊🐻🐼🦁🐯🐨🐸', /at least 8/)
    await requireGoodPassword('🦊🐻🐼🦁🐯🐨🐸🐵')
  })

  test('a password has 1,024 bytes at most, counted as bytes', async () => {
    await requireGoodPassword('w'.repeat(1_024))
    await refuses('w'.repeat(1_025), /1024 bytes/)
    await requireGoodPassword('é'.repeat(512))
    await refuses(`${'é'.repeat(512)}w`, /1024 bytes/)
  })

  test('common passwords are refused, in any spelling', async () => {
    const common = ['password', '12345678', 'iloveyou', 'football', 'PassWord', ' password ']
    for (const password of [...common, 'ｐａｓｓｗｏｒｄ']) await refuses(password, /most common/)
  })

  test('nothing else is asked for: no digits, capitals or signs', async () => {
    for (const password of ['tussocky', 'zzqqwwkkjj', 'only lower case words', '8305719264']) {
      await requireGoodPassword(password)
    }
  })
})
