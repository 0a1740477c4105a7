import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InventoryKind } from '../../inventory/kinds.ts'
import {
  addressRange,
  columnsFor,
  defaultColumns,
  fieldsFor,
  filterKeys,
  filterValues,
  resources,
  serversQ,
  shownFields,
  visibleFields,
} from './resources.ts'

const { hosts, networks } = resources

describe('the list of a resource', () => {
  it('shows the columns of its description, and without a system role those that are visible', () => {
    const all = visibleFields(hosts, true)
    assert.deepEqual(defaultColumns(hosts, all), hosts.columns)
    const some = visibleFields(hosts, false)
    assert.deepEqual(defaultColumns(hosts, some), ['name', 'status', 'guests', 'zone'])
    assert.deepEqual(visibleFields(networks, false), Object.keys(networks.fields))
  })

  it('requests the ids behind links, and all parts of an address range', () => {
    assert.deepEqual(fieldsFor(hosts, ['name', 'zone']), ['id', 'name', 'zone', 'zone_id'])
    assert.deepEqual(fieldsFor(networks, ['name', 'guest_ip_start']), [
      'id',
      'name',
      'guest_ip_start',
      'guest_ip_end',
      'guest_ip_mask',
    ])
  })

  it('sorts by the fields that the API can sort by', () => {
    const [cpus, servers] = columnsFor(hosts, ['cpu_count', 'guests'])
    assert.deepEqual([cpus?.sortBy, cpus?.number], ['cpu_count', true])
    assert.equal(servers?.sortBy, undefined)
  })

  it('filters by visible fields, the columns first', () => {
    const keys = filterKeys(hosts, visibleFields(hosts, true))
    assert.deepEqual(
      keys.slice(0, 3).map(({ name }) => name),
      ['name', 'status', 'cpu_count'],
    )
    assert.deepEqual(keys.find(({ name }) => name === 'mem_size')?.signs, ['>=', '<=', ':'])
    assert.deepEqual(keys.find(({ name }) => name === 'enabled')?.values, ['true', 'false'])
    assert.equal(
      keys.some(({ name }) => name === 'guests'),
      false,
    )
    const few = filterKeys(hosts, visibleFields(hosts, false)).map(({ name }) => name)
    assert.equal(few.includes('provider'), false)
  })

  it('offers the values of a row from known sets as filters', () => {
    const row = { id: 'h1', name: 'kvm-1', status: 'running', provider: 'OneCloud', brand: '' }
    assert.deepEqual(filterValues(hosts, row), [
      { name: 'status', value: 'running' },
      { name: 'provider', value: 'OneCloud' },
    ])
  })
})

describe('the page of a resource', () => {
  it('leaves out what the API did not return, and ids that are part of a link', () => {
    const row = {
      id: 'h1',
      name: 'kvm-1',
      status: 'running',
      zone: 'row-2',
      zone_id: 'z1',
      guests: 0,
    }
    assert.deepEqual(shownFields(hosts, row), ['id', 'status', 'zone', 'guests'])
  })

  it('shows empty values', () => {
    assert.deepEqual(shownFields(hosts, { id: 'h1', sn: '' }), ['id', 'sn'])
  })

  it('shows a range of addresses as far as it is known', () => {
    const range = { guest_ip_start: '10.4.2.4', guest_ip_end: '10.4.2.254', guest_ip_mask: 24 }
    assert.equal(addressRange({ id: 'n', ...range }), '10.4.2.4 – 10.4.2.254/24')
    assert.equal(addressRange({ id: 'n', ...range, guest_ip_end: '' }), '10.4.2.4/24')
    assert.equal(addressRange({ id: 'n', ...range, guest_ip_mask: 0 }), '10.4.2.4 – 10.4.2.254')
    assert.equal(addressRange({ id: 'n' }), '')
  })

  it('leads to the servers that name it', () => {
    const filterOf = (kind: InventoryKind) => serversQ(kind, { id: 'a b' })
    assert.equal(filterOf('hosts'), 'host_id:"a b"')
    assert.equal(filterOf('networks'), 'network:"a b"')
    assert.equal(filterOf('cloudregions'), 'cloudregion_id:"a b"')
    assert.equal(filterOf('zones'), 'zone_id:"a b"')
    assert.equal(filterOf('cloudproviders'), 'manager_id:"a b"')
  })
})
