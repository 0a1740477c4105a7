import { eventually } from '../../testing/eventually.ts'
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

describe('watching libvirt events', () => {
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

  test('combines many events of a domain', async (context) => {
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

  test('reports created, changed and deleted domains', async (context) => {
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

  test('makes no calls after it is aborted', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { end, iterator } = await listen(context, fake)
    end.abort()
    assert.equal((await iterator.next()).done, true)
  })

  test('ends when aborted, even if libvirt does not respond', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { end, iterator, source } = await listen(context, fake, 3_600_000)
    fake.sendEvent(domain(1))
    fake.freeze()
    const waiting = iterator.next()
    await pause(200)
    end.abort()
    assert.equal((await waiting).done, true)
    await source.close()
  })

  test('ends after events of too many domains', async (context) => {
    const fake = await startFakeLibvirt(context)
    const { next } = await listen(context, fake)
    // Some are looked at while the others come.
    for (let number = 0; number < 2 * longestList; number += 1) fake.sendEvent(domain(number))
    await assert.rejects(
      async () => {
        for (;;) await next()
      },
      isSourceError(/^invalid-response$/, /more changes/),
    )
  })

  test('ends after an event with a name that is too long', async (context) => {
    const fake = await startFakeLibvirt(context)
    const { next } = await listen(context, fake)
    const waiting = assert.rejects(next(), isSourceError(/^invalid-response$/))
    fake.sendEvent(domain(1, { name: 'x'.repeat(longestName + 1) }))
    await waiting
  })

  test('ends if libvirt sends pings but does not read the responses', async (context) => {
    const fake = await startFakeLibvirt(context)
    const { next } = await listen(context, fake)
    const waiting = assert.rejects(next(), isSourceError(/^unreachable$/, /stopped reading/))
    fake.freeze()
    for (let turn = 0; turn < 8; turn += 1) fake.ping(Buffer.alloc(1_048_576))
    await waiting
  })

  test('ends when the connection is closed', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { next } = await listen(context, fake)
    const waiting = assert.rejects(next(), isSourceError(/^unreachable$/))
    fake.drop()
    await waiting
  })

  test('ends when the connection is silent and a probe gets no response', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const { next } = await listen(context, fake, 100)
    await pause(300)
    fake.faults.set(procedures.connectGetLibVersion, 'silence')
    await assert.rejects(next(), isSourceError(/^timeout$/))
    assert.ok(fake.requests.filter((one) => one === procedures.connectGetLibVersion).length > 1)
  })

  test('answers keepalive pings', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    await openAt(context, fake)
    fake.ping()
    await eventually('the ping is answered', () => fake.pongs() > 0)
    assert.equal(fake.pongs(), 1)
  })
})
