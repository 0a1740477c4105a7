import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EventDto, ServerChange } from '@muster/contract'
import { createEventDelivery } from '../../domain/audit/deliver-events.ts'
import { DeliveryError, type EventSink } from '../../domain/audit/event-sink.ts'
import type { EventRecord } from '../../domain/audit/event.ts'
import { createEventStore } from '../../storage/event-store.ts'
import { createEventLog, createSinkStore } from '../../storage/event-sinks.ts'
import { createChangeLog } from '../../storage/history/change-log.ts'
import { createMoveEvents } from '../../storage/history/move-events.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'

const actions = ['create', 'update', 'update', 'update', 'delete', 'restore'] as const

onEngineOfLane('events of servers that an earlier version stored', (engine) => {
  let fleet: InventoryWorld
  let told: EventRecord[]
  let exported: string[]
  let start: number
  const bySource = ({ target_type, user_id }: EventRecord) =>
    target_type === 'server' && user_id === ''

  /** What a version without changes wrote: servers, some of them purged, among what people did. */
  function makeEvents(): EventRecord[] {
    const draw = createNumbers(7)
    const pick = <Value>(values: readonly Value[]): Value =>
      values[draw(values.length - 1)] as Value
    const stored = fleet.world.servers().slice(0, 20)
    const servers = [
      ...stored.map(({ id, name }) => ({ id, name })),
      ...['p1', 'p2', 'p3'].map((id) => ({ id, name: `purged ${id}` })),
    ]
    const projects = fleet.projects.slice(0, 3)
    const owners = new Map(servers.map(({ id }) => [id, pick(projects)]))
    let time = start - 400 * 60_000
    return Array.from({ length: 700 }, (_, at) => {
      // Several servers of a scan have the same time.
      if (at % 5 === 0) time += 1_000
      if (at % 7 === 0) return makeEvent({ time, request_id: `req-${at}` })
      // Each server is in a scan once.
      const server = pick(servers.filter((_, place) => place % 5 === at % 5))
      const action = pick(actions)
      const former = owners.get(server.id) ?? assert.fail()
      const owner = at % 11 === 0 ? pick(projects) : former
      owners.set(server.id, owner)
      const isMoved = owner !== former && action === 'update'
      const changes: Record<string, [unknown, unknown]> = {
        status: [action === 'create' ? null : 'running', action === 'update' ? `s${at}` : 'ready'],
        'user:env': [null, `value of ${owner.id}`],
        ...(isMoved && { project_id: [former.id, owner.id] }),
        ...(owner.domainId !== former.domainId &&
          isMoved && { domain_id: [former.domainId, owner.domainId] }),
      }
      const isOfUser = at % 13 === 0
      return makeEvent({
        time,
        action,
        target_type: 'server',
        target_id: server.id,
        target_name: server.name,
        project_id: owner.id,
        domain_id: owner.domainId,
        changes,
        ...(!isOfUser && { user_id: '', user: 'account aws', ip: '', request_id: '' }),
      })
    })
  }
  const exportFrom = async (marker?: string) => {
    const query = `format=ndjson&order=asc&field=id${marker === undefined ? '' : `&marker=${marker}`}`
    const response = await fetch(`${fleet.url}/events?${query}`, {
      headers: { 'x-auth-token': fleet.callers.admin.token },
    })
    assert.equal(response.status, 200, String(marker))
    const lines = (await response.text()).split('\n').filter(Boolean)
    return lines.map((line) => (JSON.parse(line) as { id: string }).id)
  }
  async function listChanges(caller: 'admin' | 'owner', query: string): Promise<ServerChange[]> {
    const found: ServerChange[] = []
    for (let marker = ''; ;) {
      const { changes } = await fleet.callers[caller].get<{ changes: ServerChange[] }>(
        'getServerChanges',
        { query: `limit=100&until=${timestamp(start)}&${query}${marker}` },
      )
      found.push(...changes)
      if (changes.length < 100) return found
      marker = `&marker=${changes.at(-1)?.id}`
    }
  }

  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 40 })
    start = fleet.tick() - 3_600_000
    const { record } = createEventStore(fleet.platform.database)
    told = makeEvents()
    for (const event of told) await record(event)
    exported = await exportFrom()
  })
  after(() => fleet.platform.close())

  test('wait until the receivers have them', async () => {
    const { database } = fleet.platform
    const store = createSinkStore(database, createEventLog(database))
    const now = Date.now()
    await store.acquire('webhook', 'one', now, now + 60_000)
    const log = createEventLog(database)
    const first = { position: Number.MIN_SAFE_INTEGER, event_id: '' }
    const [next] = await log.next(first, 1)
    assert.ok(next)
    await store.record('webhook', 'one', { ...next.at, attempts: 0, failing_since: 0 }, [])
    const move = createMoveEvents(database)
    for (let batches = 0; await move(now); batches += 1) assert.ok(batches < 5)
    assert.deepEqual(new Set(await exportFrom()), new Set(exported))
    const newest = (await log.newest()) ?? assert.fail()
    await store.record('webhook', 'one', { ...newest, attempts: 0, failing_since: 0 }, [])
  })

  test('become changes, each once, also if two processes move them', async () => {
    const { database } = fleet.platform
    const movers = [createMoveEvents(database), createMoveEvents(database)]
    await Promise.all(
      movers.map(async (move) => {
        while (await move(Date.now())) await new Promise(setImmediate)
      }),
    )
    const left = new Set(await exportFrom())
    for (const event of told) assert.equal(left.has(event.id), !bySource(event), event.id)
    const key = (time: string, id: string, changes: object) => JSON.stringify([time, id, changes])
    const wanted = told
      .filter(bySource)
      .map(({ time, target_id, changes }) => key(timestamp(time), target_id, changes))
    const found = await listChanges('admin', 'scope=system')
    assert.deepEqual(
      found.map(({ time, server_id, changes }) => key(time, server_id, changes)).sort(),
      wanted.sort(),
    )
    assert.ok(found.every(({ is_partial }) => is_partial))
  })

  test('keep their ids as markers of an export', async () => {
    const left = await exportFrom()
    const places = new Map(exported.map((id, at) => [id, at]))
    for (const id of exported.filter((_, at) => at % 29 === 0)) {
      const at = places.get(id) ?? assert.fail()
      const rest = left.filter((other) => (places.get(other) ?? Infinity) > at)
      assert.deepEqual(await exportFrom(id), rest, id)
    }
  })

  test('are still listed for Cloudpods, page by page, with what people did', async () => {
    const id = told.find(bySource)?.target_id
    const wanted = told.filter(({ target_id }) => target_id === id)
    for (const order of ['asc', 'desc']) {
      const found: EventDto[] = []
      for (let marker = ''; ;) {
        const { events } = await fleet.callers.admin.get<{ events: EventDto[] }>('listEvents', {
          query: `target_type=server&target_id=${id}&before=${timestamp(start)}&limit=3&order=${order}${marker}`,
        })
        found.push(...events)
        if (events.length < 3) break
        marker = `&marker=${events.at(-1)?.id}`
      }
      const facts = ({ action, time }: Pick<EventDto, 'action' | 'time'>) => `${time} ${action}`
      assert.deepEqual(
        found.map(facts).sort(),
        wanted.map((event) => facts({ ...event, time: timestamp(event.time) })).sort(),
      )
      const times = found.map(({ time }) => time)
      assert.deepEqual(times, order === 'asc' ? times.toSorted() : times.toSorted().toReversed())
    }
  })

  test('show nothing of other projects', async () => {
    const [own] = fleet.projects
    const others = fleet.projects.filter(({ id }) => id !== own?.id)
    const found = await listChanges('owner', 'order=asc')
    assert.ok(found.length > 10)
    for (const { id } of others) assert.ok(!JSON.stringify(found).includes(id), id)
    const seen = told.filter(
      (event) =>
        bySource(event) &&
        (event.project_id === own?.id || event.changes['project_id']?.[0] === own?.id),
    )
    assert.equal(found.length, seen.length)
    assert.deepEqual(await listChanges('owner', `tags=user:env=value of ${others[0]?.id}`), [])
  })

  test('are no moments', async () => {
    await fleet.callers.admin.fail('InputParameterError', 'listServers', {
      query: `as_of=${timestamp(start - 60_000)}`,
    })
  })

  test('are followed by changes, of which a receiver gets each one once, in order', async () => {
    const { database } = fleet.platform
    const store = createSinkStore(database, createChangeLog(database, Date.now))
    await store.acquire('webhook-changes', 'nobody', 0, 0)
    const from = timestamp(fleet.tick())
    for (let round = 0; round < 6; round += 1) {
      const ids = fleet.world.servers().map(({ id }) => id)
      const some = ids.filter((_, at) => at % 6 === round)
      await fleet.record(
        some.slice(1).map((id) => fleet.samples.facts(id)),
        some.slice(0, 1),
      )
    }
    const { changes } = await fleet.callers.admin.get<{ changes: ServerChange[] }>(
      'getServerChanges',
      { query: `scope=system&order=asc&limit=2000&since=${from}` },
    )
    assert.ok(changes.length > 20)
    const accepted: EventRecord[] = []
    let calls = 0
    const sink: EventSink = {
      name: 'webhook-changes',
      async send(event) {
        calls += 1
        if (calls % 5 === 0) throw new DeliveryError('busy', 503)
        accepted.push(event)
        return 200
      },
      close() {},
    }
    // Each delivery ends early, and another one goes on.
    for (let part = 1; accepted.length < changes.length; part += 1) {
      const delivery = createEventDelivery({
        sink,
        store,
        runner: `runner ${part}`,
        clock: () => part * 60_000,
        log: { info() {}, warn() {} },
        times: { interval: 1, firstRetry: 1, longestRetry: 2 },
      })
      const wanted = Math.min(part * 9, changes.length)
      delivery.start()
      await eventually('some are delivered', () => accepted.length >= wanted)
      await delivery.stop()
    }
    const keyOf = (time: string, id: string) => `${time} ${id}`
    assert.deepEqual(
      accepted.map(({ time, target_id }) => keyOf(timestamp(time), target_id)),
      changes.map(({ time, server_id }) => keyOf(time, server_id)),
    )
    assert.ok(accepted.every(({ record }) => record === 'change'))
    assert.doesNotMatch(JSON.stringify(accepted), /admin_secgrp|admin_security/)
  })
})
