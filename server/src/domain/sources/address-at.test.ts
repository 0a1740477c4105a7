import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressAt } from './address-at.ts'

test('addresses of a network are counted from its start or its end', () => {
  const positions = [0, 1, 4, -2, -1]
  assert.deepEqual(
    positions.map((position) => addressAt('10.4.2.77/20', position)),
    ['10.4.0.0', '10.4.0.1', '10.4.0.4', '10.4.15.254', '10.4.15.255'],
  )
  assert.equal(addressAt('255.255.255.0/24', -1), '255.255.255.255')
  for (const invalid of ['', '10.4.2.0', '10.4.2.0/33', '2001:db8::/32']) {
    assert.equal(addressAt(invalid, 0), undefined)
  }
})
