import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isWithin, normalizeNetworks, readNetworks } from './networks.ts'

describe('networks of rules', () => {
  const written: Record<string, string> = {
    '10.0.0.0/8': '10.0.0.0/8',
    '192.0.2.7': '192.0.2.7/32',
    '0.0.0.0/0': '0.0.0.0/0',
    '2001:DB8::/32': '2001:db8::/32',
    '2001:db8::7': '2001:db8::7/128',
    '::/0': '::/0',
  }
  for (const [text, expected] of Object.entries(written)) {
    test(`${text} is ${expected}`, () => {
      assert.deepEqual(normalizeNetworks([text, text], 'networks'), [expected])
    })
  }

  const wrong = [
    '::ffff:192.0.2.0/120',
    '::ffff:192.0.2.7',
    '10.0.0.1/8',
    '2001:db8::1/32',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/08x',
    '10.0.0.0/255.0.0.0',
    '10.0.0',
    '10',
    '0x7f.0.0.1',
    '010.0.0.1/32x',
    'fe80::1%eth0',
    'example.org',
    '*',
    ' 10.0.0.0/8',
  ]
  for (const text of wrong) {
    test(`${JSON.stringify(text)} is refused, by its place`, () => {
      assert.throws(
        () => normalizeNetworks(['10.0.0.0/8', text], 'login_rules.networks'),
        ({ fields }: { fields: readonly { path: string }[] }) => {
          assert.equal(fields[0]?.path, 'login_rules.networks.1')
          return true
        },
      )
    })
  }

  const cases: [network: string, ip: string, isIn: boolean][] = [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '10.0.0.1', false],
    ['2001:db8::/32', '2001:db8:ffff:ffff::', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['192.0.2.7/32', '192.0.2.7', true],
    ['192.0.2.7/32', '192.0.2.8', false],
    ['0.0.0.0/0', '', false],
    ['0.0.0.0/0', 'unknown', false],
  ]
  for (const [network, ip, isIn] of cases) {
    test(`${ip || 'no address'} is ${isIn ? '' : 'not '}in ${network}`, () => {
      assert.equal(isWithin(readNetworks([network]), ip), isIn)
    })
  }
})
