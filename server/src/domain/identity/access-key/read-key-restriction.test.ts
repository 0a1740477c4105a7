import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeyRestrictionInput } from '@muster/contract'
import { isAcceptedFrom } from './key-restriction.ts'
import { readKeyRestriction } from './read-key-restriction.ts'

const nothing = { read_only: false, actions: null, projects: null, networks: null }
const read = (input: KeyRestrictionInput | null | undefined) => readKeyRestriction(input, 'home')
const problemOf = (path: string) => (error: unknown) =>
  (error as { fields?: { path: string }[] }).fields?.[0]?.path === `credential.restriction.${path}`

describe('the restriction of a new key', () => {
  test('is null if it restricts nothing', () => {
    for (const input of [
      undefined,
      null,
      {},
      { read_only: false },
      { actions: null, projects: null, networks: null },
    ]) {
      assert.equal(read(input), null)
    }
  })

  test('has each part once', () => {
    assert.deepEqual(read({ read_only: true }), { ...nothing, read_only: true })
    assert.deepEqual(read({ actions: ['stop', 'start', 'stop'] }), {
      ...nothing,
      actions: ['stop', 'start'],
    })
    assert.deepEqual(read({ projects: ['home', 'away', 'home'] }), {
      ...nothing,
      projects: ['home', 'away'],
    })
  })

  test('names the field of what is wrong', () => {
    assert.throws(() => read({ read_only: true, actions: ['start'] }), problemOf('actions'))
    assert.throws(() => read({ projects: ['away'] }), problemOf('projects'))
  })
})

describe('the networks of a new key', () => {
  const stored: Readonly<Record<string, string>> = {
    '192.0.2.7': '192.0.2.7/32',
    '192.0.2.0/24': '192.0.2.0/24',
    '0.0.0.0/0': '0.0.0.0/0',
    '::/0': '::/0',
    '2001:DB8::/32': '2001:db8::/32',
    '2001:db8:0:0::7': '2001:db8::7/128',
  }
  for (const [text, network] of Object.entries(stored)) {
    test(`"${text}" is stored as ${network}`, () => {
      assert.deepEqual(read({ networks: ['198.51.100.7', text] })?.networks, [
        '198.51.100.7/32',
        network,
      ])
    })
  }

  const wrong = [
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/',
    '192.0.2.0/24/24',
    '192.0.2.0/255.255.255.0',
    '192.0.2',
    '192.0.2.256',
    '0192.0.2.7',
    '0x7f.0.0.1',
    '2130706433',
    '2001:db8::/129',
    '2001:db8::1%eth0',
    '::ffff:192.0.2.0/120',
    '2001:db8::7/32',
    '192.0.2.7/24',
    ' 192.0.2.7',
    'localhost',
    '*',
    '/24',
  ]
  for (const text of wrong) {
    test(`"${text}" is refused by its position`, () => {
      assert.throws(() => read({ networks: ['192.0.2.7', text] }), problemOf('networks.1'))
    })
  }

  test('the error suggests the network of an address with other bits', () => {
    assert.throws(() => read({ networks: ['10.1.2.3/8'] }), /Did you mean 10\.0\.0\.0\/8\?/)
    assert.throws(() => read({ networks: ['2001:db8::7/32'] }), /Did you mean 2001:db8::\/32\?/)
  })

  test('an address is in a network of its own family only', () => {
    const all = { ...nothing, networks: ['0.0.0.0/0'] }
    assert.deepEqual(
      ['192.0.2.7', '::1', '', 'nonsense'].map((ip) => isAcceptedFrom(all, ip)),
      [true, false, false, false],
    )
    assert.ok(isAcceptedFrom({ ...nothing, networks: ['::/0'] }, '2001:db8::1'))
    assert.ok(isAcceptedFrom(null, '192.0.2.7') && isAcceptedFrom(nothing, ''))
  })
})
