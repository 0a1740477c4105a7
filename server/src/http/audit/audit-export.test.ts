import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { events as description, type EventDto } from '@muster/contract'
import { exportEvents } from '../../domain/audit/export-events.ts'
import { everywhere } from '../../domain/scope.ts'
import { createEventStore } from '../../storage/event-store.ts'
import { assertError } from '../../testing/assert-error.ts'
import { ask } from '../../testing/client.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import {
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { isSlowLane, onEngineOfLane } from '../../testing/lanes.ts'
import { readCsv } from '../../testing/read-csv.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

/** More than one page of an export. */
const count = 1_050
const pageSize = 500
/** How many queries of a user run and wait at most. */
const [mostRunning, mostWaiting] = [2, 64]

const endless = {
  sqlite: `with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e15)
    select count(*) as n from n where case when i & 63 then 1 else check_stop() end`,
  postgres: 'select pg_sleep(3600)',
}

onEngineOfLane('exports of events as CSV or NDJSON', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  const own = Array.from({ length: count }, (_, at) =>
    makeEvent({ target_type: 'exported', target_name: at === 0 ? '=1+1' : `n,${at}` }),
  )
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    const { record } = createEventStore(platform.database)
    for (const event of own) await record(event)
    // On PostgreSQL an event is exported when all earlier transactions of the cluster are complete.
    await eventually(
      'all events are listed',
      async () => (await lines('format=ndjson')).length >= count,
    )
  })
  after(() => platform.close())

  const get = (query: string, headers = {}, token = identityApi.admin) =>
    ask(platform.url, `/events?target_type=exported&${query}`, { token, headers })
  const lines = async (query: string) => {
    const { status, text } = await get(query)
    assert.equal(status, 200, text)
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as EventDto)
  }
  const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id)

  test('have all events in either order', async () => {
    assert.deepEqual(ids(await lines('format=ndjson&order=asc')), ids(own))
    assert.deepEqual(ids(await lines('format=ndjson')), ids(own).toReversed())
    assert.deepEqual(ids(await lines('format=ndjson&order=asc&limit=1')), ids(own))
    const [first] = await lines('format=ndjson&order=asc')
    const { body } = await get(`id=${first?.id}`)
    assert.deepEqual([first], (body as unknown as { events: EventDto[] }).events)
  })

  test('continue after a position, in either order', async () => {
    const at = own[600]?.id
    assert.deepEqual(ids(await lines(`format=ndjson&order=asc&marker=${at}`)), ids(own).slice(601))
    assert.deepEqual(
      ids(await lines(`format=ndjson&order=desc&marker=${at}`)),
      ids(own).slice(0, 600).toReversed(),
    )
    assert.deepEqual(await lines(`format=ndjson&order=asc&marker=${own.at(-1)?.id}`), [])
  })

  test('reject a position that does not exist', async () => {
    const answer = await get(`format=ndjson&marker=${'0'.repeat(32)}`)
    assertError(answer, 'InputParameterError')
    assert.match(answer.text, /marker/)
  })

  test('follow Accept, and name the file', async () => {
    const answer = await get('', { accept: 'text/csv' })
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=UTF-8')
    assert.match(answer.headers.get('content-disposition') ?? '', /"events\.csv"/)
    const plain = await get('format=json', { accept: 'text/csv' })
    assert.equal(plain.headers.get('content-type'), 'application/json; charset=UTF-8')
    for (const { headers } of [answer, plain]) {
      assert.equal(headers.get('cache-control'), 'private, no-cache')
      assert.equal(headers.get('vary'), 'X-Auth-Token, Accept, Accept-Encoding')
    }
  })

  test('have a column for each field, and no formulas', async () => {
    const [header, first, second] = readCsv((await get('format=csv&order=asc')).text)
    assert.deepEqual(header, Object.keys(description.fields))
    const column = header?.indexOf('target_name') ?? -1
    assert.deepEqual([first?.[column], second?.[column]], ["'=1+1", 'n,1'])
    const few = readCsv((await get('format=csv&order=asc&field=id&field=changes')).text)
    assert.deepEqual(few.slice(0, 2), [
      ['id', 'changes'],
      [own[0]?.id, '{}'],
    ])
  })

  test('have what the caller may see', async () => {
    const { user, other } = await identityApi.add((plan) => {
      const domain = plan.domain()
      return { user: plan.user(domain), other: plan.user(domain) }
    })
    const token = await identityApi.tokenFor(user)
    await identityApi.tokenFor(other)
    const answer = await ask(platform.url, '/events?format=csv&field=user_id', { token })
    assert.ok(
      readCsv(answer.text)
        .slice(1)
        .every(([id]) => id === user),
    )
  })

  // In `npm test` a few, which neither wait nor are refused.
  const simultaneous = isSlowLane ? mostRunning + mostWaiting + 30 : 4
  test('are complete, however many run beside each other', async () => {
    async function exportAll(): Promise<string> {
      const { status, text } = await get('format=ndjson&field=id')
      if (status === 200) return text
      assert.ok(status === 429 || status === 503, text)
      return await exportAll()
    }
    const [first, ...others] = await Promise.all(Array.from({ length: simultaneous }, exportAll))
    assert.equal(first?.split('\n').length, count + 1)
    for (const other of others) assert.equal(other, first)
  })

  test('that have begun wait for other queries, and need no event that they have sent', async () => {
    const { database } = platform
    const { db } = database
    const gone = new AbortController()
    const query = {
      where: { kind: 'field', field: 'target_type', comparison: 'equals', values: ['exported'] },
      descending: false,
      limit: 1,
      requester: { user: 'reader' },
    } as const
    const body = await exportEvents(
      (asked) => createEventStore(database).list(everywhere, asked),
      query,
      {
        format: 'ndjson',
        keys: ['id'],
      },
    )
    for (let n = 0; n < mostRunning + mostWaiting; n += 1) {
      const others = { user: 'reader', signal: gone.signal }
      database.run([{ sql: endless[engine], parameters: [] }], others).catch(() => {})
    }
    const chunks = Array.fromAsync(body)
    const isEnded = chunks.then(
      () => true,
      () => true,
    )
    while (database.counts().queues['queries']?.waiting !== mostWaiting + 1) {
      if (await Promise.race([isEnded, pause(5, false)])) break
    }
    const sent = own[pageSize - 1]?.id ?? ''
    await database.commit([db.deleteFrom('events').where('id', '=', sent).compile()])
    gone.abort()
    const text = String(Buffer.concat(await chunks))
    assert.equal(text, own.map(({ id }) => `${JSON.stringify({ id })}\n`).join(''))
  })
})
