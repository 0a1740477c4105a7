import type { EventStatistics } from '@muster/contract'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countEvents, mostCounted } from '../../domain/audit/count-events.ts'
import { newId } from '../../domain/new-id.ts'
import { everywhere } from '../../domain/scope.ts'
import { createEventStore } from '../../storage/event-store.ts'
import { assertError } from '../../testing/assert-error.ts'
import { ask } from '../../testing/client.ts'
import {
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('GET /events/statistics', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
  })
  after(() => platform.close())

  const get = (query: string, token = identityApi.admin) =>
    ask<EventStatistics>(platform.url, `/events/statistics?${query}`, { token })
  async function count(query: string, token?: string): Promise<EventStatistics> {
    const answer = await get(query, token)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  async function record(...events: readonly Parameters<typeof makeEvent>[0][]): Promise<void> {
    const store = createEventStore(platform.database)
    await Promise.all(events.map((event) => store.record(makeEvent(event))))
  }

  test('counts per day or hour of a time zone, and what failed', async () => {
    const user_id = newId()
    const at = (time: string) => ({ user_id, time: Date.parse(time) })
    await record(
      { ...at('2001-03-24T22:10:00Z'), result: 'success' },
      { ...at('2001-03-24T23:10:00Z'), result: 'failure' },
      { ...at('2001-03-24T23:50:00Z'), result: 'denied' },
      // The clock of Berlin skips from 2 to 3.
      { ...at('2001-03-25T01:10:00Z'), result: 'success', action: 'delete' },
      // Half an hour after midnight in Kolkata.
      { ...at('2001-03-25T19:00:00Z'), result: 'success' },
    )
    assert.deepEqual(await count(`user_id=${user_id}`), {
      total: 5,
      groups: [
        { start: '2001-03-24', count: 3, failed: 2 },
        { start: '2001-03-25', count: 2, failed: 0 },
      ],
      is_complete: true,
      counted_since: null,
    })
    const startsIn = async (query: string) =>
      (await count(`user_id=${user_id}&${query}`)).groups.map(({ start, count: n }) => [start, n])
    assert.deepEqual(await startsIn('interval=hour&time_zone=Europe/Berlin'), [
      ['2001-03-24T23:00+01:00', 1],
      ['2001-03-25T00:00+01:00', 2],
      ['2001-03-25T03:00+02:00', 1],
      ['2001-03-25T21:00+02:00', 1],
    ])
    assert.deepEqual(await startsIn('time_zone=Asia/Kolkata'), [
      ['2001-03-25', 4],
      ['2001-03-26', 1],
    ])
    assert.deepEqual(await startsIn('action=delete'), [['2001-03-25', 1]])
    assert.deepEqual(await startsIn('result=denied&result=failure'), [['2001-03-24', 2]])
    assert.deepEqual(await startsIn('since=2001-03-24T23:50:00Z&before=2001-03-25T19:00:00Z'), [
      ['2001-03-24', 1],
      ['2001-03-25', 1],
    ])
    assert.deepEqual(await startsIn('record=change'), [])
  })

  test('counts what the list of events shows to each caller, and no more', async () => {
    const { domain, chief, user } = await identityApi.add((plan) => {
      const domain = plan.domain()
      const [chief, user] = [plan.user(domain), plan.user(domain)]
      plan.grant(identityApi.role('domain_admin'), { user: chief }, { domain })
      return { domain, chief, user }
    })
    const action = `act-${newId()}`
    await record(
      { action, domain_id: domain, user_id: user },
      { action, domain_id: domain, user_id: chief },
      { action, domain_id: newId(), user_id: newId() },
    )
    const totals = await Promise.all(
      [
        identityApi.admin,
        await identityApi.tokenFor(chief, { domain }),
        await identityApi.tokenFor(user),
      ].map(async (token) => (await count(`action=${action}`, token)).total),
    )
    assert.deepEqual(totals, [3, 2, 1])
    assert.equal((await get('', '')).status, 401)
  })

  test('names a bad parameter', async () => {
    for (const [name, value] of [
      ['interval', 'week'],
      ['time_zone', 'Mars/Olympus'],
      ['since', 'yesterday'],
      ['limit', '3'],
      ['nonsense', 'x'],
    ]) {
      const { fields = [] } = assertError(await get(`${name}=${value}`), 'InputParameterError')
      assert.deepEqual(
        fields.map(({ path }) => path),
        [name],
      )
    }
  })

  test('counts the newest events if there are too many, and tells since when', async () => {
    const user_id = newId()
    const minute = 60_000
    const first = Date.UTC(2001, 0, 1)
    await record(...[0, 20, 40, 41].map((at) => ({ user_id, time: first + at * minute })))
    const where = { kind: 'field', field: 'user_id', comparison: 'in', values: [user_id] } as const
    const query = { where, requester: { user: user_id } }
    const store = createEventStore(platform.database)
    assert.deepEqual(await store.count(everywhere, query, 3), [
      { start: first + 15 * minute, count: 1, failed: 0 },
      { start: first + 30 * minute, count: 2, failed: 0 },
    ])
    const many = [{ start: first, count: mostCounted, failed: 0 }]
    const counted = await countEvents({ count: async () => many }, everywhere, query, {})
    assert.deepEqual(
      [counted.is_complete, counted.counted_since],
      [false, '2001-01-01T00:00:00.000000Z'],
    )
  })
})
