import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guestAddresses } from './guest-addresses.ts'

test('guest addresses are the range of DHCP, or all but the gateway', () => {
  const rangeOf = (gateway: string, mask: number, start = '', end = '') => {
    const { guest_ip_start, guest_ip_end } = guestAddresses({ gateway, mask, start, end })
    return `${guest_ip_start}-${guest_ip_end}`
  }
  assert.equal(rangeOf('10.0.0.1', 24), '10.0.0.2-10.0.0.254')
  assert.equal(rangeOf('10.0.0.254', 24), '10.0.0.1-10.0.0.253')
  assert.equal(rangeOf('10.0.0.1', 24, '10.0.0.50', '10.0.0.60'), '10.0.0.50-10.0.0.60')
  const { guest_ip_start, guest_ip_end } = guestAddresses({
    address: '10.0.0.0',
    gateway: '',
    mask: 24,
    start: '',
    end: '',
  })
  assert.deepEqual([guest_ip_start, guest_ip_end], ['10.0.0.1', '10.0.0.254'])
  assert.equal(rangeOf('10.0.0.1', 31), '-')
  assert.equal(rangeOf('10.0.0.1', 0), '-')
})
