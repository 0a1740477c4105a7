import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkSettings, readAddress } from './address.ts'
import { changedPaths } from './event.ts'
import { InstanceIndex, readExternalId } from './instance-index.ts'
import { acquireMemory } from './memory.ts'
import { bytesOf, countCpus, memoryOf } from './sizes.ts'
import { statusOf } from './status.ts'

describe('Incus: addresses', () => {
  test('accepts HTTPS and local sockets', () => {
    const url = (address: string) => {
      const target = readAddress(address)
      return typeof target === 'string' ? target : (target.socketPath ?? target.url.href)
    }
    assert.equal(url('https://incus-1.example.org'), 'https://incus-1.example.org:8443/')
    assert.equal(url('https://incus-1.example.org:443'), 'https://incus-1.example.org/')
    assert.equal(url('unix:///var/lib/incus/unix.socket'), '/var/lib/incus/unix.socket')
    assert.equal(url('/var/lib/lxd/unix.socket'), '/var/lib/lxd/unix.socket')
    assert.equal(url('https://incus-1.example.org/1.0'), 'must have no path')
    assert.match(url('unix://incus.socket'), /socket by its full path/)
  })

  test('requires a certificate for HTTPS only', () => {
    const problems = (address: string) =>
      checkSettings({ address, credentials: {}, options: {} }).map(({ path }) => path)
    assert.deepEqual(problems('https://incus-1:8443'), ['credentials.client_certificate'])
    assert.deepEqual(problems('unix:///var/lib/incus/unix.socket'), [])
    assert.deepEqual(problems('ftp://incus-1'), ['address'])
  })
})

describe('Incus: limits', () => {
  test('reads sizes with binary and decimal units', () => {
    assert.deepEqual(
      ['2GiB', '512MB', '1kB', '1024', '7B', '', '5 parsecs', '-1GiB'].map(bytesOf),
      [2 * 2 ** 30, 512e6, 1_000, 1_024, 7, 0, 0, 0],
    )
  })

  test('counts CPUs of numbers and sets', () => {
    const cpus = ['4', '0-3', '1,3', '0-1,1-2', '5-5', 'x', ''].map((limit) =>
      countCpus(limit, false, 16),
    )
    assert.deepEqual(cpus, [4, 4, 2, 3, 1, 0, 16])
    assert.equal(countCpus('', true, 16), 1)
    assert.equal(countCpus('0-999999999', false, 16), 8_192)
  })

  test('reads memory as a size or as a part of the host', () => {
    const host = 64 * 2 ** 30
    assert.deepEqual(
      ['2GiB', '50%', ''].map((limit) => memoryOf(limit, false, host)),
      [2_048, 32_768, 65_536],
    )
    assert.equal(memoryOf('', true, host), 1_024)
  })
})

test('Incus: maps statuses, and keeps unknown ones', () => {
  assert.deepEqual(statusOf('Frozen'), { status: 'suspend' })
  for (const word of ['Error', 'constructor']) {
    assert.deepEqual(statusOf(word), { status: 'unknown', sourceStatus: word })
  }
})

test('Incus: finds the instances of events, also of LXD 4', () => {
  const paths = (action: string, source: string, context: object = {}) =>
    changedPaths({ project: 'p', metadata: { action, source, context } })
  assert.deepEqual(paths('instance-started', '/1.0/instances/a?project=web'), ['web/a'])
  assert.deepEqual(paths('container-started', '/1.0/containers/a'), ['p/a'])
  assert.deepEqual(paths('instance-renamed', '/1.0/instances/b', { old_name: 'a' }), ['p/b', 'p/a'])
  assert.deepEqual(paths('instance-exec', '/1.0/instances/a'), [])
  assert.deepEqual(paths('instance-snapshot-created', '/1.0/instances/a/snapshots/s'), [])
  assert.deepEqual(paths('network-created', '/1.0/networks/a'), [])
  assert.deepEqual(paths('instance-started', '/1.0/instances/a%2Fb'), [])
  assert.deepEqual(paths('instance-started', '/1.0/instances/%'), [])
  assert.deepEqual(paths('instance-renamed', '/1.0/instances/a', { old_name: '..' }), ['p/a'])
})

describe('Incus: keys', () => {
  test('stay with the UUID over renames, and tell duplicates apart', () => {
    const index = new InstanceIndex('daemon')
    index.update('default/a', 'u')
    assert.deepEqual(index.keyOf('default/a'), ['incus', 'u'])
    index.update('default/b', 'u')
    assert.deepEqual(index.keyOf('default/b'), ['incus', 'u', 'default/b'])
    assert.deepEqual(readExternalId(index.externalIdOf('default/b')), {
      uuid: 'u',
      path: 'default/b',
    })
    index.update('default/a', undefined)
    assert.deepEqual(index.keyOf('default/b'), ['incus', 'u'])
    index.update('default/old', '')
    assert.deepEqual(index.keyOf('default/old'), ['incus', 'daemon', 'default/old'])
    assert.deepEqual(readExternalId(index.externalIdOf('default/old')), {
      uuid: '',
      path: 'default/old',
    })
  })

  test('are not taken back by a list that is older than an event', async () => {
    const index = new InstanceIndex('daemon')
    index.update('default/old', 'u')
    await index.recordList(async () => {
      index.update('default/old', undefined)
      index.update('default/new', 'u')
      // A second list does not make the first one newer.
      await index.recordList(async () => new Map([['default/new', 'u']]))
      return new Map([['default/old', 'u']])
    })
    assert.deepEqual(index.keyOf('default/new'), ['incus', 'u'])
    assert.equal(index.uuidOf('default/old'), undefined)
  })
})

test('Incus: scans and events of an account share a memory, however many accounts there are', () => {
  const acquire = (accountId: string) =>
    acquireMemory({ address: 'https://daemon', credentials: {}, options: {} }, { accountId }, 'f')
  const first = acquire('one')
  const others = Array.from({ length: 300 }, (_, n) => acquire(`other-${n}`))
  assert.equal(acquire('one').memory, first.memory)
  for (const { release } of others) release()
  assert.notEqual(acquire('other-0').memory, others[0]?.memory)
  assert.equal(acquire('one').memory, first.memory)
})
