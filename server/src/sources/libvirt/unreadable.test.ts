import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Source, SourceUpdate } from '../../domain/sources/source.ts'
import type { FakeDomain } from '../../testing/fake-libvirt-responses.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import {
  domain,
  isSourceError,
  openAt,
  passTimeLimit,
  soon,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import { scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { nameOfProcedure, procedures } from './protocol.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

/** Guests that cannot be read, each for a reason of its own. */
const oddities: readonly (readonly [string, Partial<FakeDomain>, RegExp])[] = [
  ['has 60,000 elements', { inside: '<x/>'.repeat(60_000) }, /more than 50,000 elements/],
  ['is nested too deeply', { inside: '<x>'.repeat(300) }, /more than 64 levels/],
  ['has truncated XML', { xml: '<domain><name>' }, /not well formed/],
  ['has no XML', { xml: '' }, /./],
  ['declares a document type', { xml: '<!DOCTYPE x><domain/>' }, /document type/],
  ['fails', { xmlFault: 'failure' }, /disk on fire/],
  ['never responds', { xmlFault: 'silence' }, /no response within 10 s/],
]

async function scan(source: Source) {
  const pages = await Array.fromAsync(source.scan(soon()))
  return {
    names: pages.flatMap(({ present }) => present.map(({ facts }) => facts.name)).sort(),
    unreadable: pages.flatMap(({ unreadable = [] }) => unreadable),
  }
}

describe('an unreadable libvirt domain', () => {
  for (const [what, changes, reason] of oddities) {
    test(`all others are reported if one ${what}`, async (context) => {
      const odd = domain(2, changes)
      const fake = await startFakeLibvirt(context, { domains: [domain(1), odd, domain(3)] })
      const source = await openAt(context, fake)
      const { names, unreadable } =
        odd.xmlFault === 'silence'
          ? await passTimeLimit(context, fake, procedures.domainGetXmlDesc, () => scan(source))
          : await scan(source)
      assert.deepEqual(names, ['guest-1', 'guest-3'])
      assert.equal(unreadable.length, 1)
      const [one] = unreadable
      assert.deepEqual(one?.key, ['libvirt', 'default', uuidOf(2)])
      assert.equal(one.name, 'guest-2')
      assert.match(one.reason, reason)
    })
  }

  test('an unreadable network, pool or filter does not make domains unreadable', async (context) => {
    const odd = [{ name: 'odd', uuid: uuidOf(9), xml: '<x', leases: [] }]
    const fake = await startFakeLibvirt(context, {
      domains: [domain(1)],
      host: { networks: odd, pools: odd, filters: odd },
    })
    assert.deepEqual(await scan(await openAt(context, fake)), {
      names: ['guest-1'],
      unreadable: [],
    })
  })

  test('a get and an event report it as unreadable', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: [domain(1), domain(2)] })
    const source = await openAt(context, fake)
    const end = new AbortController()
    context.after(() => end.abort())
    const events = source.watch?.(end.signal)[Symbol.asyncIterator]()
    await events?.next()
    fake.domains.set(uuidOf(2), domain(2, { xml: '<domain' }))
    const seen = await source.get(referTo(uuidOf(2)), soon())
    assert.ok(seen && 'reason' in seen)
    for (const kind of ['lifecycle', 'metadataChange'] as const) {
      fake.sendEvent(domain(1))
      fake.sendEvent(domain(2), kind)
      const update = (await events?.next())?.value as SourceUpdate
      assert.deepEqual(
        update.present.map(({ facts }) => facts.name),
        ['guest-1'],
      )
      assert.deepEqual(
        update.unreadable?.map(({ name }) => name),
        ['guest-2'],
      )
      assert.deepEqual(update.gone, [])
    }
  })

  const reads = [
    procedures.domainLookupByUuid,
    procedures.domainGetXmlDesc,
    procedures.domainIsPersistent,
  ]
  for (const call of reads) {
    test(`a daemon that fails in ${nameOfProcedure(call)} says nothing about a domain`, async (context) => {
      const domains = [domain(1), domain(2)]
      const fake = await startFakeLibvirt(context, { domains })
      const source = await openAt(context, fake)
      const end = new AbortController()
      context.after(() => end.abort())
      const events = source.watch?.(end.signal)[Symbol.asyncIterator]()
      await events?.next()
      fake.faults.set(call, { error: 38, message: 'no luck' })
      await assert.rejects(source.get(referTo(uuidOf(1)), soon()), isSourceError(/failed/, /luck/))
      if (call === procedures.domainGetXmlDesc) {
        await assert.rejects(scan(source), isSourceError(/failed/, /no luck/))
      }
      fake.sendEvent(domain(1))
      const update = (await events?.next())?.value as SourceUpdate
      assert.deepEqual(update, { present: [], gone: [], unreadable: [] })
      fake.faults.clear()
      const later = (await events?.next())?.value as SourceUpdate
      assert.deepEqual(
        later.present.map(({ facts }) => facts.name),
        ['guest-1'],
      )
    })
  }

  test('the state is read by another call if there are no stats', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: [domain(1), domain(2, { state: 5 })] })
    const source = await openAt(context, fake)
    const before = await scan(source)
    const stats = procedures.connectGetAllDomainStats
    const breaks = [
      ...[1, 38, 45, 87].map((error) => () => fake.faults.set(stats, { error })),
      () => fake.domains.set(uuidOf(1), domain(1, { hasNoStats: true })),
    ]
    for (const act of breaks) {
      act()
      const pages = await Array.fromAsync(source.scan(soon()))
      const statuses = pages.flatMap(({ present }) => present.map(({ facts }) => facts.status))
      assert.deepEqual(statuses, ['running', 'ready'])
      const failed = pages.flatMap((page) => page.failed ?? [])
      assert.ok(failed.length > 0)
      for (const { error: part, hasServers } of failed) {
        assert.deepEqual([part.call, hasServers], ['connectGetAllDomainStats', true])
      }
      fake.faults.clear()
    }
    fake.domains.set(uuidOf(1), domain(1))
    assert.deepEqual(await scan(source), before)
  })

  test('the scan fails if the daemon hangs', async (context) => {
    const fake = await startFakeLibvirt(context, {
      domains: [domain(1), domain(2, { xmlFault: 'silence' })],
    })
    const source = await openAt(context, fake, {}, 200)
    fake.faults.set(procedures.connectGetLibVersion, 'silence')
    await assert.rejects(scanAll(source), isSourceError(/^timeout$/))
  })

  test('the connection is closed when all concurrent calls are overdue', async (context) => {
    const silent = Array.from({ length: 9 }, (_, number) => domain(number, { xmlFault: 'silence' }))
    const fake = await startFakeLibvirt(context, { domains: silent })
    const source = await openAt(context, fake, {}, 200)
    await assert.rejects(scanAll(source), isSourceError(/^timeout$/))
    await eventually('the connection is closed', () => fake.connections().now === 0)
  })
})
