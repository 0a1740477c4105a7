import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { SourceUpdate } from '../../domain/sources/source.ts'
import { startFakeLibvirt, type FakeLibvirt } from '../../testing/fake-libvirt.ts'
import {
  domain,
  isSourceError,
  openAt,
  some,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import { longestList, longestName, procedures } from './protocol.ts'

describe('libvirt that tells by itself', () => {
  async function listen(context: TestContext, fake: FakeLibvirt, timeLimit?: number) {
    const source = await openAt(context, fake, {}, timeLimit)
    const end = new AbortController()
    context.after(() => end.abort())
    assert.ok(source.watch)
    const iterator = source.watch(end.signal)[Symbol.asyncIterator]()
    const next = async (): Promise<SourceUpdate> => (await iterator.next()).value as SourceUpdate
    assert.deepEqual(await next(), { present: [], gone: [] })
    return { next, end, iterator, source }
  }

  test('is looked at once for many events', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { next } = await listen(context, fake)
    const asked = fake.requests.length
    for (const one of some) for (let turn = 0; turn < 20; turn += 1) fake.sendEvent(one)
    const { present, gone } = await next()
    assert.deepEqual(present.map(({ facts }) => facts.name).sort(), [
      'guest-1',
      'guest-2',
      'guest-3',
    ])
    assert.deepEqual(gone, [])
    const xmls = fake.requests.slice(asked).filter((one) => one === procedures.domainGetXmlDesc)
    assert.equal(xmls.length, 3)
  })

  test('tells of what came, changed and went', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { next } = await listen(context, fake)
    fake.domains.set(uuidOf(7), domain(7))
    fake.sendEvent(domain(7))
    assert.equal((await next()).present[0]?.facts.status, 'running')
    fake.domains.set(uuidOf(7), domain(7, { state: 3 }))
    fake.sendEvent(domain(7), 'metadataChange')
    assert.equal((await next()).present[0]?.facts.status, 'suspend')
    fake.domains.set(uuidOf(7), domain(7, { state: 5, isTransient: true }))
    fake.sendEvent(domain(7))
    assert.deepEqual(await next(), {
      present: [],
      unreadable: [],
      gone: [['libvirt', 'default', uuidOf(7)]],
    })
    fake.domains.delete(uuidOf(1))
    fake.sendEvent(domain(1))
    assert.deepEqual((await next()).gone, [['libvirt', 'default', uuidOf(1)]])
  })

  test('is not asked any longer when it is told to end', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { end, iterator } = await listen(context, fake)
    end.abort()
    assert.equal((await iterator.next()).done, true)
  })

  test('ends at once when it is told to, and nothing is answered any more', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { end, iterator, source } = await listen(context, fake, 60_000)
    fake.sendEvent(domain(1))
    fake.freeze()
    const waiting = iterator.next()
    await pause(200)
    const start = performance.now()
    end.abort()
    assert.equal((await waiting).done, true)
    assert.ok(performance.now() - start < 500)
    await source.close()
    assert.ok(performance.now() - start < 1_500)
  })

  test('is left when it tells of more domains than there can be', async (context) => {
    const fake = await startFakeLibvirt(context)
    const { next } = await listen(context, fake)
    // Some are looked at while the others come.
    for (let number = 0; number < 2 * longestList; number += 1) fake.sendEvent(domain(number))
    await assert.rejects(
      async () => {
        for (;;) await next()
      },
      isSourceError(/^invalid-response$/, /more domains/),
    )
  })

  test('is left when it tells of a name without end', async (context) => {
    const fake = await startFakeLibvirt(context)
    const { next } = await listen(context, fake)
    const waiting = assert.rejects(next(), isSourceError(/^invalid-response$/))
    fake.sendEvent(domain(1, { name: 'x'.repeat(longestName + 1) }))
    await waiting
  })

  test('is left when it asks whether we are here and does not read that', async (context) => {
    const fake = await startFakeLibvirt(context)
    const { next } = await listen(context, fake)
    const waiting = assert.rejects(next(), isSourceError(/^unreachable$/, /stopped reading/))
    fake.freeze()
    for (let turn = 0; turn < 8; turn += 1) fake.ping(Buffer.alloc(1_048_576))
    await waiting
  })

  test('is left when its line breaks', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { next } = await listen(context, fake)
    const waiting = assert.rejects(next(), isSourceError(/^unreachable$/))
    fake.drop()
    await waiting
  })

  test('is left when its line is silent and nothing is at its other end', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { next } = await listen(context, fake, 100)
    await pause(300)
    fake.faults.set(procedures.connectGetLibVersion, 'silence')
    await assert.rejects(next(), isSourceError(/^timeout$/))
    assert.ok(fake.requests.filter((one) => one === procedures.connectGetLibVersion).length > 1)
  })

  test('is told that we are still here', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    await openAt(context, fake)
    fake.ping()
    for (let turn = 0; turn < 100 && fake.pongs() === 0; turn += 1) await pause(10)
    assert.equal(fake.pongs(), 1)
  })
})
