import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { PlatformError } from '../../error.ts'
import { readOwnSecret } from './read-own-secret.ts'

const read = (secret: unknown) => readOwnSecret(JSON.stringify({ secret, expire: 0 })).secret
const problemOf = (blob: string): string | undefined => {
  try {
    readOwnSecret(blob)
    return undefined
  } catch (error) {
    assert.ok(error instanceof PlatformError)
    assert.equal(error.class, 'InputParameterError')
    return error.fields?.[0]?.path
  }
}
const hexOf = (seed: number) => createHash('md5').update(`${seed}`).digest('hex')

describe('a secret that the client sends', () => {
  test('is taken if it could be random', () => {
    for (let seed = 0; seed < 2_000; seed += 1) {
      assert.deepEqual(read(hexOf(seed)), { secret: hexOf(seed) })
    }
    // As recorded from climc.
    const recorded = 'S003bnI2dHJyTmVFUDlSRmNueEtkY3pDRjRNdldkcGM='
    assert.deepEqual(readOwnSecret(`{"expire":1800000000,"secret":"${recorded}"}`), {
      secret: { secret: recorded },
      expiresAt: '2027-01-15T08:00:00.000000Z',
    })
  })

  const random = hexOf(1)
  const weak = [
    random.slice(1),
    random + random,
    random.repeat(5),
    hexOf(2).slice(0, 16).repeat(2),
    hexOf(3).slice(0, 8).repeat(4),
    'a'.repeat(40),
    'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ',
    '0123456789'.repeat(4),
    'zyxwvutsrqponmlkjihgfedcba98765432',
    `${random} `,
    `${random.slice(0, 31)}\u00e9`,
    `${random}\n`,
    42,
    null,
    [random],
  ]
  for (const secret of weak) {
    test(`is refused if it is ${JSON.stringify(secret)}`, () => {
      assert.equal(problemOf(JSON.stringify({ secret })), 'credential.blob.secret')
    })
  }

  test('may be left out', () => {
    for (const blob of ['', '{}', '{"secret":"","expire":0}']) {
      assert.deepEqual(readOwnSecret(blob), { secret: {}, expiresAt: undefined })
    }
  })

  test('comes in a JSON object with nothing else', () => {
    for (const blob of ['{', '[]', 'null', '1', random]) {
      assert.equal(problemOf(blob), 'credential.blob')
    }
    assert.equal(problemOf('{"key":"x"}'), 'credential.blob.key')
    for (const expire of [-1, 1.5, 1e15, '1']) {
      assert.equal(problemOf(JSON.stringify({ expire })), 'credential.blob.expire')
    }
  })
})
