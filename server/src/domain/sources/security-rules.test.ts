import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { securityRuleForm, writeSecurityRule, type SecurityRule } from './security-rules.ts'

const allow = { direction: 'in', verdict: 'allow', protocol: 'tcp' } as const
const table: readonly (readonly [SecurityRule, string])[] = [
  [allow, 'in:allow tcp'],
  [{ ...allow, ports: { from: 22, to: 22 } }, 'in:allow tcp 22'],
  [{ ...allow, ports: { from: 80, to: 90 } }, 'in:allow tcp 80-90'],
  [{ ...allow, ports: { from: 0, to: 65_535 } }, 'in:allow tcp'],
  [{ ...allow, ports: { from: 1, to: 65_535 } }, 'in:allow tcp'],
  [{ ...allow, ports: { from: 22, to: 22 }, peer: '10.0.0.0/8' }, 'in:allow tcp 22 10.0.0.0/8'],
  [{ ...allow, peer: '10.1.2.3/8' }, 'in:allow tcp 10.0.0.0/8'],
  [{ ...allow, peer: '10.1.2.3/32' }, 'in:allow tcp 10.1.2.3'],
  [{ ...allow, peer: '10.1.2.3' }, 'in:allow tcp 10.1.2.3'],
  [{ ...allow, peer: '0.0.0.0/0' }, 'in:allow tcp'],
  [{ ...allow, peer: '::/0' }, 'in:allow tcp ::/0'],
  [{ ...allow, peer: '2001:DB8::1/32' }, 'in:allow tcp 2001:db8::/32'],
  [{ ...allow, peer: '2001:db8::1/128' }, 'in:allow tcp 2001:db8::1'],
  [{ ...allow, peer: 'sg-1' }, 'in:allow tcp sg-1'],
  [{ direction: 'out', verdict: 'deny', protocol: 'any' }, 'out:deny any'],
]

describe('a security rule', () => {
  for (const [rule, text] of table) {
    test(`is written as ${text}`, () => {
      assert.equal(writeSecurityRule(rule), text)
      assert.match(text, securityRuleForm)
    })
  }

  test('with another order or two directions does not match the format', () => {
    for (const text of ['in:allow 10.0.0.0/8 tcp 22', 'inout:deny any', 'in:allow', 'allow tcp']) {
      assert.doesNotMatch(text, securityRuleForm)
    }
  })
})
