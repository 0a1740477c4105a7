import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { readCsv } from '../../testing/read-csv.ts'
import {
  askServers,
  listServers,
  nextIn,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { specifiedServer } from '../../testing/inventory-world/specified-fields.ts'

const hostile = [
  ['=cmd|"/C calc"!A0', '+1', '-2'],
  ['@SUM(A1)', '\r=1', '\tx'],
  ['a "quoted", name', 'two\r\nlines', "=HYPERLINK('x')"],
  ['ключ 漢字', '\tx', '-'],
] as const

onEngineOfLane('exports of servers as CSV or NDJSON', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const [id, foreign] = [projectAt(fleet, 0).id, projectAt(fleet, 3).id]
    await fleet.record([
      ...hostile.map(([name, description, tag], at) =>
        minimalServer(id, {
          name,
          description,
          tags: { [`=${tag}`]: tag },
          created_at: `2026-05-04T08:00:0${at}.000000Z`,
          nics: [],
          status: at === 0 ? 'ready' : 'running',
        }),
      ),
      minimalServer(id, { pending_deleted: true }),
      minimalServer(foreign),
    ])
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const get = async (query: string, headers = {}) => {
    const answer = await askServers(fleet.url, owner(), query, headers)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const csv = async (query = '') => readCsv((await get(`format=csv&${query}`)).text)
  const ndjson = async (query = '') =>
    (await get(`format=ndjson&${query}`)).text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Partial<Server>)

  test('the format follows Accept, and the format parameter takes precedence', async () => {
    const types: [string, Record<string, string>, string][] = [
      ['', { accept: 'text/csv' }, 'text/csv; charset=UTF-8'],
      ['', { accept: 'application/x-ndjson' }, 'application/x-ndjson; charset=UTF-8'],
      ['', { accept: 'text/csv;q=0.5, application/json' }, 'application/json; charset=UTF-8'],
      ['', { accept: 'image/png' }, 'application/json; charset=UTF-8'],
      ['format=csv', {}, 'text/csv; charset=UTF-8'],
      ['format=ndjson', { accept: 'text/csv' }, 'application/x-ndjson; charset=UTF-8'],
      ['format=json', { accept: 'text/csv' }, 'application/json; charset=UTF-8'],
    ]
    for (const [query, headers, type] of types) {
      const answer = await get(query, headers)
      assert.equal(answer.headers.get('content-type'), type)
      assert.equal(answer.headers.get('vary'), 'X-Auth-Token, Accept, Accept-Encoding')
      assert.equal(answer.headers.get('cache-control'), 'private, no-cache')
    }
    const byAccept = await get('', { accept: 'text/csv' })
    assert.equal(byAccept.text, (await get('format=csv')).text)
    assert.match(byAccept.headers.get('content-disposition') ?? '', /filename="servers\.csv"/)
  })

  test('contain the same data in every format, in the same order', async () => {
    for (const shape of ['', 'details=true', 'with_meta=true', 'details=true&with_meta=true']) {
      for (const order of ['', '&order_by=name&order=asc']) {
        const { servers } = await listServers(owner(), `${shape}${order}&limit=100`)
        assert.equal(servers.length, hostile.length)
        assert.deepEqual(await ndjson(shape + order), servers)
        const [columns = [], ...rows] = await csv(shape + order)
        const told = servers.map((server) => columns.map((column) => cellOf(server, column)))
        assert.deepEqual(rows, told)
      }
    }
  })

  test('CSV columns match the keys of the object', async () => {
    const columns = async (query: string) => (await csv(query))[0]
    const short = Object.keys((await listServers(owner(), 'limit=1')).servers[0] ?? {})
    assert.deepEqual(await columns(''), short)
    assert.deepEqual(await columns('with_meta=true'), [...short, 'metadata'])
    const full = Object.values(specifiedServer).flat().sort()
    const withoutMeta = full.filter((name) => name !== 'metadata')
    assert.deepEqual(await columns('details=true'), withoutMeta)
    assert.deepEqual(await columns('details=true&with_meta=true'), [...withoutMeta, 'metadata'])
    assert.deepEqual(await columns('field=name&field=metadata&field=id'), [
      'name',
      'metadata',
      'id',
    ])
    assert.deepEqual(await columns('export_keys=ips,id'), ['ips', 'id'])
    assert.deepEqual(Object.keys((await ndjson('field=name&field=id'))[0] ?? {}), ['name', 'id'])
    // An empty result has a header row.
    assert.deepEqual(await csv('status=none&field=id'), [['id']])
    assert.equal((await get('format=ndjson&status=none')).text, '')
  })

  test('CSV cells cannot start a spreadsheet formula', async () => {
    const rows = (await csv('details=true&with_meta=true')).slice(1)
    assert.equal(rows.length, hostile.length)
    for (const cell of rows.flat()) assert.doesNotMatch(cell, /^[=+\-@\t\r]/)
    const names = (await csv('field=name&order_by=created_at&order=asc')).slice(1).flat()
    assert.deepEqual(names, ['\'=cmd|"/C calc"!A0', "'@SUM(A1)", 'a "quoted", name', 'ключ 漢字'])
  })

  test('apply filters and ignore paging', async () => {
    assert.equal((await ndjson('status=running')).length, 3)
    assert.equal((await csv('status=running&limit=1')).length, 1 + 3)
    assert.equal((await ndjson('limit=0')).length, hostile.length)
    assert.equal((await ndjson('offset=3')).length, hostile.length)
    assert.equal((await ndjson('pending_delete=all')).length, hostile.length + 1)
    const { headers } = await get('limit=3&status=running&order_by=name')
    assert.equal(headers.get('link'), null)
    const paged = await get('limit=2&order_by=name')
    const marker = new URL(nextIn(paged.headers) ?? '').searchParams.get('marker') ?? ''
    const rest = await ndjson(`order_by=name&marker=${marker}`)
    assert.equal(rest.length, hostile.length - 2)
  })

  test('return errors as JSON before the stream begins', async () => {
    for (const [query, errorClass] of [
      ['format=csv&stauts=x', 'InputParameterError'],
      ['format=csv&field=nme', 'InputParameterError'],
      ['format=ndjson&marker=nonsense', 'InputParameterError'],
      ['format=csv&scope=system', 'ForbiddenError'],
    ] as const) {
      assertError(await askServers(fleet.url, owner(), query), errorClass)
    }
    const { viewer } = fleet.callers
    assertError(await askServers(fleet.url, viewer, 'format=csv&deleted=true'), 'ForbiddenError')
    assertError(await ask(fleet.url, '/servers?format=csv'), 'UnauthorizedError')
  })

  test('HEAD returns the content type without a body', async () => {
    for (const format of ['csv', 'ndjson']) {
      const { status, text, headers } = await ask(fleet.url, `/servers?format=${format}`, {
        method: 'HEAD',
        token: owner().token,
      })
      assert.deepEqual([status, text], [200, ''])
      assert.match(headers.get('content-type') ?? '', new RegExp(format))
    }
    assert.equal((await listServers(owner())).total, hostile.length)
  })

  /** A CSV cell: empty for null, JSON for non-texts, an apostrophe before a formula. */
  function cellOf(server: Partial<Server>, column: string): string {
    const value = server[column as keyof Server]
    if (value === null || value === undefined) return ''
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  }
})
