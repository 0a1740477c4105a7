import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import {
  domain,
  isSourceError,
  openAt,
  soon,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import { scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { procedures } from './protocol.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

const many = Array.from({ length: 80 }, (_, number) => domain(number))

describe('the shared libvirt connection', () => {
  test('is used for scans, events and gets, with at most four concurrent calls', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: many, delay: 1 })
    const open = () => openAt(context, fake, {}, undefined, 'account-1')
    const sources = await Promise.all([open(), open(), open()])
    const [listening, scanning, looking] = sources
    const end = new AbortController()
    context.after(() => end.abort())
    const events = listening.watch?.(end.signal)[Symbol.asyncIterator]()
    await events?.next()
    for (const one of many) fake.sendEvent(one)
    const [seen] = await Promise.all([
      scanAll(scanning),
      events?.next(),
      ...many.map(({ uuid }) => looking.get(referTo(uuid), soon())),
    ])
    assert.equal(seen.size, 80)
    assert.deepEqual(fake.connections(), { ever: 1, now: 1 })
    assert.equal(fake.mostInFlight(), 4)
    await Promise.all([scanning.close(), looking.close()])
    assert.equal(fake.connections().now, 1)
    end.abort()
    await listening.close()
    await eventually('0 connections are open', () => fake.connections().now === 0)
  })

  test('is not shared between accounts or with a test of settings', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: many })
    await openAt(context, fake, {}, undefined, 'account-1')
    await openAt(context, fake, {}, undefined, 'account-2')
    await openAt(context, fake)
    assert.equal(fake.connections().now, 3)
  })

  test('is reopened after it is closed', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: many })
    const open = () => openAt(context, fake, {}, undefined, 'account-1')
    const first = await open()
    fake.drop()
    await assert.rejects(scanAll(first), isSourceError(/^unreachable$/))
    const second = await open()
    assert.equal((await scanAll(second)).size, 80)
    assert.equal(fake.connections().ever, 2)
  })

  test('stays open for other callers if one is aborted while it opens', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: many, delay: 20 })
    const settings = { address: fake.address, credentials: {}, options: {} }
    const { libvirtKind } = await import('./libvirt-kind.ts')
    const { conformanceContext } =
      await import('../../testing/inventory-world/source-conformance.ts')
    const world = { ...conformanceContext, accountId: 'account-1' }
    const stop = new AbortController()
    const [impatient, patient] = [
      libvirtKind.open(settings, world, stop.signal),
      libvirtKind.open(settings, world, soon()),
    ]
    stop.abort()
    await assert.rejects(impatient, isSourceError(/^timeout$/))
    const source = await patient
    assert.equal((await scanAll(source)).size, 80)
    assert.equal(fake.connections().ever, 1)
    await source.close()
  })

  test('is subscribed to events only once', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: many })
    const open = () => openAt(context, fake, {}, undefined, 'account-1')
    const [source, other] = [await open(), await open()]
    for (const one of [source, other]) {
      const end = new AbortController()
      const events = one.watch?.(end.signal)[Symbol.asyncIterator]()
      await events?.next()
      fake.sendEvent(domain(1))
      const update = await events?.next()
      assert.equal(update?.done, false)
      end.abort()
      await events?.return?.()
    }
    const asked = fake.requests.filter((one) => one === procedures.domainEventRegister)
    assert.equal(asked.length, 7)
  })

  test('counts an aborted call as in flight until libvirt responds', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: many, delay: 150 })
    const source = await openAt(context, fake)
    for (let turn = 0; turn < 3; turn += 1) {
      const stop = AbortSignal.timeout(20)
      await assert.rejects(source.get(referTo(uuidOf(1)), stop))
      await assert.rejects(Array.fromAsync(source.scan(AbortSignal.timeout(20))))
    }
    assert.equal((await scanAll(source)).size, 80)
    assert.ok(fake.mostInFlight() <= 4, String(fake.mostInFlight()))
  })
})
