import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAddressRule, createSourceAddressRule } from './allowed-addresses.ts'

const near = [
  '127.0.0.1',
  '127.0.0.53',
  '127.255.255.255',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:7F00:0001',
  '0:0:0:0:0:ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0.0.0.0',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::10.0.0.1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '3fff::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '4000::1',
  '5f00::1',
  'e000::1',
]

/** No resolver gives these. They are names that nobody allowed, even where an address is meant. */
const odd = [
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.1',
  '127.0.1',
  '0177.0.0.1',
  '127.0.0.01',
  '8.8.8',
  '134744072',
  '[::1]',
  '[2606:4700::1111]',
  '１２７.０.０.１',
  '127。0。0。1',
  '127.0.0.1.',
  '8.8.8.8.',
  '8.8.8.8/32',
  ' 8.8.8.8',
  '8.8.8.8 ',
  '8.8.8.8\0',
  '%31%32%37.0.0.1',
  '',
  '.',
  'localhost',
  'LOCALHOST.',
  'localhost.localdomain',
  'metadata.google.internal',
  'example.org',
]

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82a::200e',
]

describe('SEC-45 the allowed addresses', () => {
  const rule = createAddressRule([])
  for (const address of near) {
    test(`do not include ${address}`, () => assert.ok(!rule(address)))
  }
  for (const spelling of odd) {
    test(`do not include ${JSON.stringify(spelling)}`, () => assert.ok(!rule(spelling)))
  }
  for (const address of open) {
    test(`include ${address}`, () => assert.ok(rule(address)))
  }
})

describe('SEC-45 the addresses that accounts may use', () => {
  const metadata = [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:168.63.129.16',
  ]
  const rule = createSourceAddressRule([])
  for (const address of metadata) {
    test(`do not include the metadata service ${address}, unless it is listed`, () => {
      assert.ok(!rule(address))
      assert.ok(createSourceAddressRule([address])(address))
    })
  }

  test('include public and private ones', () => {
    const allowed = [...open, '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', 'fd12::1']
    assert.deepEqual(allowed.filter(rule), allowed)
    // Neighbours of metadata services.
    const near = ['168.63.129.15', '168.63.129.17', '100.100.100.201', 'fd00:ec2::253']
    assert.deepEqual(near.filter(rule), near)
  })

  test('do not include this machine, nor names that are not listed', () => {
    const local = [
      '127.0.0.1',
      '::1',
      '0.0.0.0',
      '::',
      'fe80::1',
      '224.0.0.1',
      'localhost',
      'a.lan',
    ]
    assert.deepEqual(local.filter(rule), [])
    assert.deepEqual(local.filter(createSourceAddressRule(['a.lan'])), ['a.lan'])
  })
})

describe('SEC-45 the addresses that the operator allows', () => {
  const judge = (allowed: readonly string[], asked: readonly string[]) =>
    asked.filter(createAddressRule(allowed))

  test('can be an address in any spelling', () => {
    assert.deepEqual(judge(['10.0.0.1'], ['10.0.0.1', '::ffff:10.0.0.1', '::ffff:a00:1']), [
      '10.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
    ])
    assert.deepEqual(judge(['10.0.0.1'], ['10.0.0.2', '127.0.0.1', '64:ff9b::10.0.0.1', '::1']), [])
    assert.deepEqual(judge(['0:0:0:0:0:0:0:1'], ['::1', '::2']), ['::1'])
    assert.deepEqual(judge(['::ffff:127.0.0.1'], ['127.0.0.1']), ['127.0.0.1'])
  })

  test('can be a network, first and last address included', () => {
    const asked = ['10.1.255.255', '10.2.0.0', '10.2.255.255', '10.3.0.0', '::ffff:10.2.0.1']
    assert.deepEqual(judge(['10.2.0.0/16'], asked), ['10.2.0.0', '10.2.255.255', '::ffff:10.2.0.1'])
    assert.deepEqual(judge(['fd00::/8'], ['fd12::1', 'fc00::1', '10.0.0.1']), ['fd12::1'])
  })

  test('can be a host name in any spelling, without its subdomains', () => {
    const asked = ['cas.lan', 'CAS.LAN', 'cas.lan.', 'x.cas.lan', 'cas.lan.evil', 'lan', '10.0.0.1']
    assert.deepEqual(judge(['Cas.Lan'], asked), ['cas.lan', 'CAS.LAN', 'cas.lan.'])
    assert.deepEqual(judge(['bücher.lan'], ['xn--bcher-kva.lan']), ['xn--bcher-kva.lan'])
  })

  test('do not restrict public addresses', () => {
    assert.deepEqual(judge(['10.0.0.0/8', 'cas.lan'], ['8.8.8.8']), ['8.8.8.8'])
  })

  test('must be valid networks', () => {
    assert.throws(() => createAddressRule(['10.0.0.0/99']))
  })
})
