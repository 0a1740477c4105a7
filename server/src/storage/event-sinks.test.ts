import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createEventDelivery } from '../domain/audit/deliver-events.ts'
import { DeliveryError, type EventSink, type SinkStore } from '../domain/audit/event-sink.ts'
import { PlatformError } from '../domain/error.ts'
import { makeEvent } from '../testing/identity-world/identity-records.ts'
import { onBothEngines } from '../testing/engines.ts'
import { openStorage, type TestStorage } from '../testing/open-storage.ts'
import { createDeliveryLog, createEventLog, createSinkStore } from './event-sinks.ts'
import { createEventStore } from './event-store.ts'

const list = {
  scope: undefined,
  where: { kind: 'all', conditions: [] },
  order: [{ field: 'time', descending: true }],
  limit: 100,
  offset: 0,
  marker: undefined,
} as const

onBothEngines('the delivery of events', (engine) => {
  let storage: TestStorage
  let store: SinkStore
  let record: ReturnType<typeof createEventStore>['record']
  const log = { info() {}, warn() {} }
  before(async () => {
    storage = await openStorage(engine)
    store = createSinkStore(storage.database, createEventLog(storage.database))
    record = createEventStore(storage.database).record
  })
  after(() => storage.close())
  beforeEach(async () => {
    const { db, commit } = storage.database
    const tables = ['events', 'event_sinks', 'event_deliveries'] as const
    await commit(tables.map((table) => db.deleteFrom(table).compile()))
    await store.acquire('webhook', 'nobody', 0, 0)
  })

  async function recordSome(count: number): Promise<string[]> {
    const events = Array.from({ length: count }, () => makeEvent())
    for (const event of events) await record(event)
    return events.map(({ id }) => id)
  }

  /** Delivers with a sink until the condition holds. */
  async function deliver(
    send: (id: string) => number,
    isDone: () => boolean,
    options: Partial<Parameters<typeof createEventDelivery>[0]> = {},
  ) {
    const sink: EventSink = { name: 'webhook', send: async ({ id }) => send(id), close() {} }
    const times = { interval: 1, firstRetry: 1, longestRetry: 2 }
    const parts = { sink, store, runner: 'one', clock: Date.now, log, times }
    const delivery = createEventDelivery({ ...parts, ...options })
    delivery.start()
    await eventually('the deliveries are done', isDone)
    await delivery.stop()
    return delivery.counts()
  }
  const waitFor = async (count: number) => {
    await eventually(
      'all events wait for delivery',
      async () => (await store.lag('webhook')).events >= count,
    )
  }

  test('is in order, and continues where it stopped', async () => {
    const ids = await recordSome(150)
    await waitFor(150)
    const seen: string[] = []
    const push = (id: string) => seen.push(id)
    await deliver(push, () => seen.length >= 30)
    await deliver(push, () => seen.length >= 150)
    assert.deepEqual(seen, ids)
    assert.deepEqual(await store.lag('webhook'), { events: 0, since: undefined })
    const { items, total } = await createDeliveryLog(storage.database).listDeliveries(list)
    assert.equal(total, 150)
    assert.equal(items[0]?.result, 'delivered')
  })

  test('retries an event that fails, before all others, also if the clock was wrong', async () => {
    const ids = await recordSome(3)
    await waitFor(3)
    const seen: string[] = []
    let failures = 4
    let ahead = 0
    const counts = await deliver(
      (id) => {
        seen.push(id)
        if (id !== ids[1] || failures === 0) return 204
        failures -= 1
        ahead = 190 * 86_400_000
        setImmediate(() => (ahead = 0))
        throw new DeliveryError('busy', 503)
      },
      () => seen.length === 7,
      { clock: () => Date.now() + ahead },
    )
    const [first = '', second = '', third = ''] = ids
    assert.deepEqual(seen, [first, ...Array.from({ length: 5 }, () => second), third])
    assert.deepEqual(counts, { delivered: 3, failed: 4, skipped: 0 })
    const failed = (await createDeliveryLog(storage.database).listDeliveries(list)).items.filter(
      ({ status }) => status === 503,
    )
    assert.deepEqual([failed.length, failed[0]?.event_id, failed[0]?.error], [4, second, 'busy'])
  })

  /** Delivers three events. By the clock, each attempt takes 10 minutes. */
  async function deliverSlowly(answer: (index: number, attempt: number) => number, until: number) {
    const ids = await recordSome(3)
    await waitFor(3)
    let now = Date.now()
    const seen: number[] = []
    const counts = await deliver(
      (id) => {
        const status = answer(ids.indexOf(id), seen.length)
        seen.push(ids.indexOf(id))
        now += 600_000
        if (status !== 200) throw new DeliveryError('unwanted', status)
        return status
      },
      () => seen.length >= until,
      { clock: () => (now += 5) },
    )
    const { items } = await createDeliveryLog(storage.database).listDeliveries(list)
    const logged = items
      .filter(({ event_id }) => ids.includes(event_id))
      .map(({ result, event_id }) => [result, ids.indexOf(event_id)])
    return { seen, counts, logged }
  }

  test('skips an event that is rejected for an hour, if the next one is accepted', async () => {
    for (const status of [403, 422, 500]) {
      const { seen, counts, logged } = await deliverSlowly(
        (index) => (index === 0 ? status : 200),
        9,
      )
      assert.deepEqual(seen, [0, 0, 0, 0, 0, 0, 0, 1, 2], String(status))
      assert.deepEqual(counts, { delivered: 2, failed: 6, skipped: 1 })
      assert.deepEqual(logged.slice(0, 3), [
        ['delivered', 2],
        ['delivered', 1],
        ['skipped', 0],
      ])
    }
  })

  test('skips nothing if the receiver rejects everything, or cannot be reached', async () => {
    const rejected = await deliverSlowly((_, attempt) => (attempt < 20 ? 403 : 200), 23)
    assert.deepEqual(rejected.seen.slice(5, 11), [0, 0, 1, 0, 1, 0])
    assert.deepEqual(rejected.seen.slice(-3), [0, 1, 2])
    assert.deepEqual(rejected.counts, { delivered: 3, failed: 20, skipped: 0 })
    // A failed connection starts the hour again.
    const away = await deliverSlowly((_, attempt) => (attempt % 5 === 0 ? 0 : 403), 20)
    assert.deepEqual([new Set(away.seen), away.counts.skipped], [new Set([0]), 0])
  })

  test('leaves it to the health check to log an outage of the database', async () => {
    const lines: string[] = []
    const push = (_: object, message: string) => lines.push(message)
    const outage = new PlatformError('ServiceUnavailable', 'The database does not respond.')
    const failures: Error[] = [outage, outage, new Error('unexpected'), outage, outage]
    const failing: SinkStore = {
      ...store,
      async acquire(...lease) {
        const failure = failures.shift()
        if (failure) throw failure
        return await store.acquire(...lease)
      },
    }
    await recordSome(1)
    await waitFor(1)
    let isSent = false
    await deliver(
      () => {
        isSent = true
        return 200
      },
      () => isSent,
      { store: failing, log: { info: push, warn: push } },
    )
    assert.deepEqual(lines, [
      'the delivery of events fails; retrying',
      'the delivery of events works again',
    ])
  })

  test('is done by one process at a time, and a paused one cannot store its position', async () => {
    const now = Date.now()
    const first = await store.acquire('webhook', 'one', now, now + 1_000)
    assert.ok(first)
    assert.equal(await store.acquire('webhook', 'two', now, now + 1_000), undefined)
    assert.ok(await store.acquire('webhook', 'two', now + 1_001, now + 9_000))
    await assert.rejects(store.record('webhook', 'one', first, []), /precondition/)
    await store.release('webhook', 'two')
    assert.ok(await store.acquire('webhook', 'one', now, now + 1_000))
  })

  test('of a new sink starts after the newest event', async () => {
    const [old = ''] = await recordSome(1)
    await waitFor(1)
    const state = await store.acquire('syslog', 'one', 1, 2)
    assert.equal(state?.event_id, old)
    assert.equal((await store.lag('syslog')).events, 0)
  })

  test('logs the last 1000 attempts', async () => {
    await recordSome(1)
    const state = await store.acquire('webhook', 'one', 1, 2)
    assert.ok(state)
    const attempt = { event_id: state.event_id, time: 1, duration_ms: 1, status: 200, error: '' }
    const many = Array.from({ length: 600 }, () => ({ ...attempt, result: 'delivered' as const }))
    await store.record('webhook', 'one', { ...state, attempts: 600 }, many)
    await store.record('webhook', 'one', { ...state, attempts: 1_200 }, many)
    assert.equal((await createDeliveryLog(storage.database).listDeliveries(list)).total, 1_000)
  })

  test('comes before the end of the retention', async () => {
    const { db } = storage.database
    const { purge } = createEventStore(storage.database)
    const count = async () => (await db.selectFrom('events').select('id').execute()).length
    await recordSome(3)
    await waitFor(3)
    const now = Date.now()
    let sent = 0
    await deliver(
      () => {
        sent += 1
        if (sent > 1) throw new DeliveryError('away')
        return 200
      },
      () => sent > 1,
    )
    await store.acquire('webhook', 'one', now, now + 1)
    await purge(now + 1, now)
    assert.equal(await count(), 2)
    await purge(now + 1, now + 2 * 86_400_000)
    assert.equal(await count(), 0)
  })
})
