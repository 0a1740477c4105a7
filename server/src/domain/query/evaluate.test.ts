import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultValues, inventoryResources, type Wire } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { listInMemory } from './evaluate.ts'
import { queryFieldsOf } from './query-fields.ts'
import { readListQuery, type ListParameters } from './read-list-query.ts'

const { hosts } = inventoryResources
type Host = Wire<typeof hosts>
const fields = queryFieldsOf(hosts)

const host = (values: Partial<Host>): Host => ({ ...defaultValues(hosts), ...values })
const some = [
  host({ id: 'a', name: 'Kvm-1', provider: 'OneCloud', mem_size: 4096, zone: 'z1', zone_id: '1' }),
  host({ id: 'b', name: 'kvm-2', provider: 'Aws', mem_size: 8192, enabled: false }),
  host({ id: 'c', name: 'esx', provider: 'VMware', created_at: '2026-05-04T08:00:00.000001Z' }),
]

type Parameters = ListParameters & Readonly<Record<string, unknown>>
const list = (parameters: Parameters) =>
  listInMemory(fields, readListQuery(fields, { order: 'asc', ...parameters }, 'created_at'), some)
const ids = (parameters: Parameters) =>
  list(parameters)
    .items.map(({ id }) => id)
    .join('')

describe('a list in memory', () => {
  const cases: [Parameters, string][] = [
    [{}, 'abc'],
    [{ order: 'desc' }, 'cba'],
    [{ order_by: ['mem_size'] }, 'cab'],
    [{ order_by: ['name'] }, 'acb'],
    [{ provider: ['aws'] }, 'b'],
    [{ enabled: [false] }, 'b'],
    [{ zone: ['1'] }, 'a'],
    [{ zone: ['z1', 'z2'] }, 'a'],
    [{ q: 'mem_size>=4G' }, 'ab'],
    [{ q: '-provider:aws kvm' }, 'a'],
    [{ search: 'KVM' }, 'ab'],
    [{ search: 'OneCloud' }, ''],
    [{ filter: ["name.like('%V%')"] }, 'ab'],
    [{ filter: ["provider.notin('aws', 'vmware')"] }, 'a'],
    [{ filter: ["provider.gt('B')", 'mem_size.lt(1)'], filter_any: true }, 'ac'],
    [{ filter: ['created_at.isnull()'] }, 'ab'],
    [{ filter: ["created_at.ge('2026-05-04')"] }, 'c'],
    [{ filter: ["created_at.notequals('2026-05-04')"] }, 'abc'],
    [{ offset: 1, limit: 1 }, 'b'],
  ]
  for (const [parameters, expected] of cases) {
    test(`${JSON.stringify(parameters)} gives "${expected}"`, () =>
      assert.equal(ids(parameters), expected))
  }

  test('continues after a marker', () => {
    const query = { order_by: ['enabled'], limit: 2 }
    const { items, total, next: marker } = list(query)
    assert.deepEqual([items.map(({ id }) => id), total], [['b', 'a'], 3])
    assert.equal(ids({ ...query, marker: marker ?? '' }), 'c')
    assert.equal(list({ ...query, marker: marker ?? '' }).next, undefined)
  })

  for (const parameters of [
    { filter: ['guests.gt(1)'] },
    { order_by: ['guests'] },
    { field: ['nothing'] },
    { q: 'vcpu:1' },
  ]) {
    test(`${JSON.stringify(parameters)} is refused`, () =>
      assert.throws(() => list(parameters), PlatformError))
  }

  test('knows only the fields that a caller may use', () => {
    const few = queryFieldsOf(hosts, hosts.fieldsWithoutSystemRole)
    for (const parameters of [{ q: 'sn:1' }, { order_by: ['sn'] }, { field: ['sn'] }]) {
      assert.throws(() => readListQuery(few, parameters, 'name'), PlatformError)
    }
    assert.deepEqual(few.searched, ['id', 'name'])
  })
})
