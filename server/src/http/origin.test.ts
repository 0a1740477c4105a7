import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { isLocal, originOf } from './origin.ts'

/** A request with the `ip` that the framework derived from the peer and the proxies. */
const from = (ip: string, peer = '192.0.2.1', headers: Record<string, string> = {}) =>
  ({ ip, headers, socket: { remoteAddress: peer } }) as unknown as FastifyRequest

const ipOf = (ip: string, peer?: string) => originOf(from(ip, peer)).ip

describe('originOf', () => {
  test('normalizes an address', () => {
    assert.equal(ipOf('198.51.100.7'), '198.51.100.7')
    assert.equal(ipOf('::ffff:198.51.100.7'), '198.51.100.7')
    assert.equal(ipOf('2001:DB8:0:0:0:0:0:1'), '2001:db8::1')
  })

  test('uses the peer address if the proxy sends an invalid one', () => {
    const nonsense = ['', 'unknown', '_hidden', '1.2.3.4.5', '1.2.3.256', '<script>', "' or 1=1"]
    for (const text of nonsense) assert.equal(ipOf(text), '192.0.2.1', text)
  })

  test('SEC-15 rejects legacy number formats of an address', () => {
    // Some parsers read each of these as 127.0.0.1 or similar, others reject it.
    for (const text of ['2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '127.1', '1']) {
      assert.equal(ipOf(text), '192.0.2.1', text)
    }
  })

  test('SEC-15 drops the zone of an address, which is free text', () => {
    assert.ok(!ipOf(`fe80::1%${'a'.repeat(300)}`).includes('%'))
  })

  test('is empty if the peer has disconnected', () => {
    assert.equal(ipOf('', ''), '')
  })
})

describe('isLocal', () => {
  test('accepts the loopback addresses of both families', () => {
    for (const ip of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      assert.equal(isLocal(from(ip)), true, ip)
    }
  })

  test('rejects all other addresses', () => {
    const others = ['10.0.0.1', '192.0.2.1', '0.0.0.0', '::', '169.254.1.1', 'fe80::1']
    for (const ip of others) assert.equal(isLocal(from(ip, ip)), false, ip)
    assert.equal(isLocal(from('', '')), false)
  })

  test('rejects a forwarded request, whatever it claims', () => {
    for (const header of ['x-forwarded-for', 'forwarded']) {
      for (const value of ['127.0.0.1', '', 'for=127.0.0.1']) {
        assert.equal(isLocal(from('127.0.0.1', '127.0.0.1', { [header]: value })), false)
      }
    }
  })
})
