import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { EventStore } from '../domain/audit/event-store.ts'
import { everywhere } from '../domain/scope.ts'
import { makeEvent } from '../testing/identity-world/identity-records.ts'
import { onBothEngines } from '../testing/engines.ts'
import { openStorage, type TestStorage } from '../testing/open-storage.ts'
import { renumberForeignEvents } from './event-positions.ts'
import { createEventStore, createInsertEvent } from './event-store.ts'

onBothEngines('the order in which events are committed', (engine) => {
  let storage: TestStorage
  let events: EventStore
  before(async () => {
    storage = await openStorage(engine)
    events = createEventStore(storage.database)
  })
  after(() => storage.close())

  async function read(marker: string | undefined, descending = false): Promise<string[]> {
    const { items } = await events.list(everywhere, {
      where: { kind: 'all', conditions: [] },
      limit: 1_000,
      descending,
      byCommit: true,
      requester: { user: 'test' },
      ...(marker !== undefined && { marker }),
    })
    return items.map(({ id }) => id)
  }
  const newest = async () => (await read(undefined, true))[0]
  /** Reads until the event is there. Transactions of other tests delay it on PostgreSQL. */
  const readUntil = (last: string, marker: string | undefined) =>
    eventually('the last event is listed', async () => {
      const found = await read(marker)
      return found.includes(last) && found
    })

  test('has every event once, also while several writers add earlier ones', async () => {
    const start = await newest()
    const written = new Set<string>()
    const write = async (writer: number) => {
      for (let at = 0; at < 20; at += 1) {
        const event = makeEvent({ time: Date.UTC(2026, 0, 1) + ((at * 7 + writer * 13) % 50) })
        written.add(event.id)
        await events.record(event)
      }
    }
    const writing = Promise.all([write(1), write(2), write(3)])
    const seen: string[] = []
    while (seen.length < 60) {
      seen.push(...(await read(seen.at(-1) ?? start)))
      await pause(1)
    }
    await writing
    assert.deepEqual(new Set(seen), written)
    assert.deepEqual(await read(seen.at(-1)), [])
    assert.deepEqual((await read(undefined, true)).slice(0, 60), seen.toReversed())
  })

  test('goes on after all events were purged', async () => {
    const { db, commit } = storage.database
    const last = makeEvent()
    await events.record(last)
    await readUntil(last.id, undefined)
    const { position } = await db
      .selectFrom('events')
      .select('position')
      .where('id', '=', last.id)
      .executeTakeFirstOrThrow()
    await commit([
      db
        .insertInto('event_sinks')
        .values({
          name: 'webhook',
          runner: '',
          leased_until: 0,
          attempts: 0,
          failing_since: 0,
          event_id: last.id,
          position,
        })
        .compile(),
      db.deleteFrom('events').compile(),
    ])
    const next = makeEvent()
    await events.record(next)
    const row = db.selectFrom('events').select('position').where('id', '=', next.id)
    assert.ok((await row.executeTakeFirstOrThrow()).position > position)
  })

  if (engine === 'sqlite') return

  test('withholds events until an earlier transaction is complete', async () => {
    const start = makeEvent()
    await events.record(start)
    await readUntil(start.id, undefined)
    const [late, early] = [makeEvent({ time: 1 }), makeEvent()]
    const client = new pg.Client(storage.location.url)
    await client.connect()
    await client.query('begin')
    const { sql: insert, parameters } = createInsertEvent(storage.database.db)(late)
    await client.query(insert, [...parameters])
    await events.record(early)
    assert.deepEqual(await read(start.id), [])
    await client.query('commit')
    await client.end()
    assert.deepEqual(await readUntil(early.id, start.id), [late.id, early.id])
  })

  test('stays the same in another cluster, whose transactions have lower numbers', async () => {
    const { db, maintain } = storage.database
    assert.deepEqual(await renumberForeignEvents(db), [])
    await sql`update events set position = position + 1000000000`.execute(db)
    await sql`update event_sinks set position = position + 1000000000,
      event_id = (select id from events order by position, id limit 1)`.execute(db)
    const ids = async () =>
      (await db.selectFrom('events').select('id').orderBy('position').orderBy('id').execute()).map(
        ({ id }) => id,
      )
    const before = await ids()
    await maintain(await renumberForeignEvents(db))
    assert.deepEqual(await renumberForeignEvents(db), [])
    assert.deepEqual(await ids(), before)
    const { position } = await db
      .selectFrom('event_sinks')
      .select('position')
      .executeTakeFirstOrThrow()
    assert.equal(position, -before.length)
    const next = makeEvent()
    await events.record(next)
    assert.deepEqual(await readUntil(next.id, before.at(-1)), [next.id])
  })
})
