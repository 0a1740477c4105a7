import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PlatformError } from '../error.ts'
import { addressKey, parseNetwork } from './parse-network.ts'

describe('the key of an address', () => {
  const good: [string, string][] = [
    ['10.4.2.17', '40a040211'],
    ['0.0.0.0', '400000000'],
    ['255.255.255.255', '4ffffffff'],
    ['::', `6${'0'.repeat(32)}`],
    ['FD00::1', `6fd${'0'.repeat(29)}1`],
    ['::ffff:10.4.2.17', '40a040211'],
    ['::ffff:a04:211', '40a040211'],
  ]
  for (const [address, key] of good) {
    test(`of ${address} is ${key}`, () => assert.equal(addressKey(address), key))
  }

  test('is undefined for an invalid address', () => {
    const wrong = [
      '',
      '10.4.2',
      '10.4.2.256',
      '010.4.2.17',
      '0x0a.4.2.17',
      '167772160',
      '10.4.2.17/32',
    ]
    const strange = ['fe80::1%eth0', ':::', '1::2::3', ' 10.4.2.17', 'web-7', ':'.repeat(8192)]
    for (const text of [...wrong, ...strange]) assert.equal(addressKey(text), undefined, text)
  })

  test('sorts as the addresses do', () => {
    const number = fc.integer({ min: 0, max: 0xff_ff_ff_ff })
    const dotted = (value: number) =>
      [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.')
    fc.assert(
      fc.property(number, number, (one, other) => {
        const [first = '', second = ''] = [addressKey(dotted(one)), addressKey(dotted(other))]
        assert.equal(Math.sign(one - other), first < second ? -1 : first > second ? 1 : 0)
      }),
    )
  })
})

describe('a network', () => {
  const good: [string, string, string][] = [
    ['10.4.0.0/16', '40a040000', '40a04ffff'],
    ['10.4.2.17/16', '40a040000', '40a04ffff'],
    ['10.4.2.17', '40a040211', '40a040211'],
    ['10.4.2.17/32', '40a040211', '40a040211'],
    ['0.0.0.0/0', '400000000', '4ffffffff'],
    ['10.4.2.17/31', '40a040210', '40a040211'],
    ['fd00::/8', `6fd${'0'.repeat(30)}`, `6fd${'f'.repeat(30)}`],
    ['::/0', `6${'0'.repeat(32)}`, `6${'f'.repeat(32)}`],
    ['::1/128', `6${'0'.repeat(31)}1`, `6${'0'.repeat(31)}1`],
    ['::ffff:10.4.0.0/112', '40a040000', '40a04ffff'],
  ]
  for (const [text, first, last] of good) {
    test(`${text} is from ${first} to ${last}`, () =>
      assert.deepEqual(parseNetwork(text), { kind: 'address', first, last }))
  }

  test('is rejected with its text if it is invalid', () => {
    const wrong = [
      '',
      '/',
      '/8',
      '10.4.0.0/',
      '10.4.0.0/33',
      '10.4.0.0/-1',
      '10.4.0.0/1e1',
      '10.4/16',
    ]
    const strange = ['fd00::/129', '::ffff:10.4.0.0/16', '10.4.0.0/16/16', '*', 'x'.repeat(8192)]
    for (const text of [...wrong, ...strange]) {
      assert.throws(
        () => parseNetwork(text),
        (error) => error instanceof PlatformError && error.fields?.[0]?.path === 'ip',
        text,
      )
    }
  })

  test('contains exactly the addresses with its prefix', () => {
    const number = fc.integer({ min: 0, max: 0xff_ff_ff_ff })
    const dotted = (value: number) =>
      [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.')
    const bits = (value: number) => value.toString(2).padStart(32, '0')
    fc.assert(
      fc.property(number, number, fc.integer({ min: 0, max: 32 }), (one, other, prefix) => {
        const { first, last } = parseNetwork(`${dotted(one)}/${prefix}`)
        const key = addressKey(dotted(other)) ?? ''
        const isSame = bits(one).slice(0, prefix) === bits(other).slice(0, prefix)
        assert.equal(first <= key && key <= last, isSame)
      }),
    )
  })
})
