import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callerFields, type ServerListQuery } from '@muster/contract'
import { PlatformError } from '../../error.ts'
import type { Condition } from '../condition.ts'
import { readServerQuery } from './read-server-query.ts'

const read = (parameters: ServerListQuery) => readServerQuery(parameters)
const where = (parameters: ServerListQuery): Condition => read(parameters).where

const refuses = (parameters: ServerListQuery, path: string, problem = /./) =>
  assert.throws(
    () => read(parameters),
    (error) => {
      assert.ok(error instanceof PlatformError, String(error))
      assert.equal(error.status, 400)
      assert.equal(error.fields?.[0]?.path, path, error.message)
      assert.match(error.message, problem)
      return true
    },
    JSON.stringify(parameters).slice(0, 80),
  )

describe('the query of a list of servers', () => {
  test('defaults to the first page of the newest servers, in short form', () => {
    assert.deepEqual(read({}), {
      scope: undefined,
      state: 'live',
      where: { kind: 'all', conditions: [] },
      details: false,
      withMetadata: false,
      keys: undefined,
      order: [{ field: 'created_at', descending: true }],
      limit: 20,
      offset: 0,
      marker: undefined,
      format: 'json',
    })
  })

  test('accepts what climc sends', () => {
    assert.deepEqual(read({ details: false, limit: 20, offset: 0, summary_stats: false }), read({}))
  })

  test('limits the page size, which may be 0', () => {
    assert.equal(read({ limit: 2048 }).limit, 2048)
    assert.equal(read({ limit: 2049 }).limit, 2048)
    assert.equal(read({ limit: 0 }).limit, 0)
  })

  test('sorts by several fields in one direction', () => {
    assert.deepEqual(read({ order: 'asc' }).order, [{ field: 'created_at', descending: false }])
    assert.deepEqual(read({ order_by: ['name', 'vcpu_count', 'name'] }).order, [
      { field: 'name', descending: true },
      { field: 'vcpu_count', descending: true },
    ])
    assert.deepEqual(read({ order_by_host: 'asc', order_by_disk: '' }).order, [
      { field: 'host', descending: false },
    ])
    refuses({ order_by: ['nmae'] }, 'order_by', /did you mean "name"\?/)
    refuses({ order_by: ['nics'] }, 'order_by', /not a field to sort by/)
    for (const field of callerFields)
      refuses({ order_by: [field] }, 'order_by', /not a field to sort/)
  })

  test('combines values of one field with OR, and fields with AND', () => {
    assert.deepEqual(where({ status: ['running'] }), {
      kind: 'field',
      field: 'status',
      comparison: 'equals',
      values: ['running'],
    })
    assert.deepEqual(where({ status: ['running', 'ready'], vcpu_count: [8], is_gpu: [true] }), {
      kind: 'all',
      conditions: [
        { kind: 'field', field: 'status', comparison: 'in', values: ['running', 'ready'] },
        { kind: 'field', field: 'vcpu_count', comparison: 'equals', values: [8] },
        { kind: 'field', field: 'is_gpu', comparison: 'equals', values: [true] },
      ],
    })
    assert.deepEqual(where({ created_at: ['2026-05-04'] }), {
      kind: 'field',
      field: 'created_at',
      comparison: 'equals',
      values: [Date.UTC(2026, 4, 4) * 1000],
    })
    refuses({ created_at: ['soon'] }, 'created_at', /a time such as/)
  })

  test('accepts projects, regions, zones and hosts by id or name', () => {
    for (const [name, resource] of [
      ['project', 'project'],
      ['tenant', 'project'],
      ['host', 'host'],
      ['zone', 'zone'],
      ['region', 'region'],
      ['cloudregion', 'region'],
      ['account', 'account'],
      ['cloudaccount', 'account'],
      ['manager', 'manager'],
      ['cloudprovider', 'manager'],
    ] as const) {
      assert.deepEqual(where({ [name]: ['x', 'y'] }), {
        kind: 'resource',
        resource,
        values: ['x', 'y'],
      })
    }
    assert.deepEqual(where({ secgroup: ['x'] }), {
      kind: 'any',
      conditions: [
        { kind: 'field', field: 'secgrp_id', comparison: 'equals', values: ['x'] },
        { kind: 'field', field: 'secgroup', comparison: 'equals', values: ['x'] },
      ],
    })
  })

  test('combines filters with AND or with OR', () => {
    const filter = ["name.contains('a')", "name.contains('b')"]
    assert.equal(where({ filter }).kind, 'all')
    assert.equal(where({ filter, filter_any: false }).kind, 'all')
    assert.equal(where({ filter, filter_any: true }).kind, 'any')
    assert.deepEqual(where({ filter_any: true }), where({}))
    const mixed = where({ filter, filter_any: true, status: ['ready'] })
    assert.deepEqual(mixed.kind === 'all' && mixed.conditions.map(({ kind }) => kind), [
      'field',
      'any',
    ])
    refuses({ filter: ['name'] }, 'filter')
  })

  test('parses search, tags, addresses, time ranges and q', () => {
    assert.deepEqual(where({ search: '' }), where({}))
    assert.deepEqual(where({ search: '  ' }), where({}))
    assert.deepEqual(where({ search: 'a b' }), { kind: 'search', text: 'a b' })
    assert.deepEqual(where({ tags: ['env=a=b'] }), { kind: 'tag', key: 'env', value: 'a=b' })
    assert.deepEqual(where({ tags: ['env'] }), { kind: 'tag', key: 'env', value: undefined })
    assert.equal(where({ tags: ['env', 'x=y'] }).kind, 'all')
    refuses({ tags: ['=x'] }, 'tags')
    assert.equal(where({ ip: ['10.0.0.0/8', 'fd00::/8'] }).kind, 'any')
    assert.deepEqual(where({ ip_addr: ['10.0.0.1'] }), where({ ip: ['10.0.0.1'] }))
    refuses({ ip: ['10'] }, 'ip')
    refuses({ ip_addr: ['10'] }, 'ip_addr')
    const first = Date.UTC(2026, 4, 4) * 1000
    for (const [name, field, comparison] of [
      ['created_since', 'created_at', 'ge'],
      ['created_before', 'created_at', 'lt'],
      ['updated_since', 'updated_at', 'ge'],
      ['updated_before', 'updated_at', 'lt'],
    ] as const) {
      const expected = { kind: 'field', field, comparison, values: [first] }
      assert.deepEqual(where({ [name]: '2026-05-04T00:00:00Z' }), expected)
      refuses({ [name]: '2026' }, name)
    }
    assert.deepEqual(where({ q: 'status:a' }), where({ status: ['a'] }))
  })

  test("parses Cloudpods' tags: sets combined with OR", () => {
    const env = { key: 'env', value: 'prod' }
    const sets = [[env, { key: 'user:x', value: '' }], [{ key: 'y' }]]
    const one = { kind: 'tag', key: 'env', value: 'prod' }
    const expected = {
      kind: 'any',
      conditions: [
        { kind: 'all', conditions: [one, { kind: 'tag', key: 'user:x', value: undefined }] },
        { kind: 'tag', key: 'y', value: undefined },
      ],
    }
    assert.deepEqual(where({ obj_tags: sets }), expected)
    assert.deepEqual(where({ no_obj_tags: [[env]] }), { kind: 'not', condition: one })
  })

  test('selects servers in use, in the recycle bin, or deleted', () => {
    assert.equal(read({ pending_delete: 'false', deleted: false }).state, 'live')
    assert.equal(read({ pending_delete: 'true' }).state, 'recycled')
    assert.equal(read({ pending_delete: '1' }).state, 'recycled')
    assert.equal(read({ pending_delete: 'all' }).state, 'live-and-recycled')
    assert.equal(read({ pending_delete_all: true }).state, 'live-and-recycled')
    assert.equal(read({ deleted: true }).state, 'deleted')
    assert.equal(read({ deleted: true, pending_delete: '0' }).state, 'deleted')
    refuses({ deleted: true, pending_delete: 'all' }, 'deleted')
    refuses({ pending_delete_all: true, pending_delete: 'true' }, 'pending_delete_all')
  })

  test('selects fields, and metadata by its name', () => {
    const { keys, withMetadata } = read({ field: ['name', 'metadata', 'name', 'can_update'] })
    assert.deepEqual(keys, ['name', 'metadata', 'can_update'])
    assert.equal(withMetadata, true)
    assert.deepEqual(read({ export_keys: ['id, name', 'id'] }).keys, ['id', 'name'])
    assert.equal(read({ meta: true }).withMetadata, true)
    refuses({ field: ['nmae'] }, 'field', /did you mean "name"\?/)
    refuses({ field: ['toString'] }, 'field')
    refuses({ export_keys: ['id,nmae'] }, 'export_keys', /did you mean "name"\?/)
  })

  test('accepts a marker or an offset, not both', () => {
    assert.equal(read({ marker: 'm' }).marker, 'm')
    refuses({ marker: 'm', offset: 0 }, 'marker')
    refuses({ marker: 'm', offset: 5 }, 'marker')
    assert.equal(read({ paging_marker: ['m'], offset: 0 }).marker, 'm')
    assert.equal(read({ paging_marker: [''], offset: 5 }).marker, undefined)
    refuses({ paging_marker: ['m'], offset: 5 }, 'paging_marker')
    refuses({ paging_marker: ['m'], marker: 'm' }, 'paging_marker')
  })

  test('takes the format from the parameter, or else from the Accept header', () => {
    assert.equal(readServerQuery({}, 'csv').format, 'csv')
    assert.equal(readServerQuery({ format: 'json' }, 'csv').format, 'json')
    assert.equal(readServerQuery({ format: 'ndjson' }, 'csv').format, 'ndjson')
  })

  test('rejects values beyond their limits', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'name.equals(a)')
    read({ filter: many(100) })
    refuses({ filter: many(101) }, 'filter', /100 conditions/)
    refuses({ filter: many(60), q: 'vcpu>1 '.repeat(41) }, 'q', /100 conditions/)
    refuses({ filter: [`name.in(${'a,'.repeat(1000)}a)`] }, 'filter', /1000 values/)
  })

  test('accepts at most 20 conditions on tags, texts and addresses in all parameters together', () => {
    const many = (count: number, text: string) => Array.from({ length: count }, () => text)
    const words = (count: number, word: string) => ({ q: many(count, word).join(' ') })
    const tags = (count: number) => [many(count, 'k').map((key) => ({ key }))]
    const costly: [string, (count: number) => ServerListQuery][] = [
      ['q', (count) => words(count, '-tag:k')],
      ['q', (count) => words(count, 'tag:k=v')],
      ['q', (count) => words(count, 'word')],
      ['q', (count) => words(count, '-ip:10.0.0.1')],
      ['q', (count) => ({ q: `ip:${many(count, '10.0.0.1').join(',')}` })],
      ['q', (count) => ({ q: `tag:k=${many(count, 'v').join(',')}` })],
      ['filter', (count) => ({ filter: many(count, 'name.contains(a)') })],
      ['filter', (count) => ({ filter: many(count, 'name.like(a)'), filter_any: true })],
      ['tags', (count) => ({ tags: many(count, 'k=v') })],
      ['obj_tags', (count) => ({ obj_tags: tags(count) })],
      ['no_obj_tags', (count) => ({ no_obj_tags: tags(count) })],
      ['ip', (count) => ({ ip: many(count, '10.0.0.0/8') })],
    ]
    for (const [parameter, query] of costly) {
      read({ ...query(20), status: ['running', 'ready'], vcpu_count: [1, 2] })
      refuses(query(21), parameter, /20 conditions that look into texts, tags or addresses/)
    }
    refuses({ ...words(19, 'a'), search: 'a', tags: ['k'] }, 'tags', /20/)
  })

  test('reads plain parameters like any others', () => {
    const plain: ServerListQuery[] = [
      {},
      { limit: 0 },
      { limit: 5_000, offset: 3, order: 'asc' },
      { scope: 'system', details: true, with_meta: true },
      { order: 'desc', details: false, with_meta: false },
    ]
    // An empty search selects nothing, but it is not plain.
    for (const query of plain) assert.deepEqual(read(query), read({ ...query, search: '' }))
  })
})
