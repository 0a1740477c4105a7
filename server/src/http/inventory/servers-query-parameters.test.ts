import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serverOperations } from '@muster/contract'
import { PlatformError } from '../../domain/error.ts'
import { readServerQuery } from '../../domain/inventory/server-list/read-server-query.ts'
import { createQueryReader } from '../query.ts'

const [listServers] = serverOperations
const readQuery = createQueryReader(listServers)
const read = (query: string) => readServerQuery(readQuery(`/servers?${query}`))

const problemOf = (query: string): string => {
  try {
    read(query)
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error))
    assert.equal(error.status, 400)
    return error.message
  }
  assert.fail(`${query} was taken`)
}

const everything = JSON.stringify({ kind: 'all', conditions: [] })
const narrows = (query: string) => JSON.stringify(read(query).where) !== everything

describe('parsing server list parameters', () => {
  test('climc defaults equal an empty query', () => {
    assert.deepEqual(read('details=false&limit=20&offset=0&summary_stats=false'), read(''))
    assert.deepEqual(read('limit=20&offset=0&show_fail_reason=false&show_emulated=true'), read(''))
  })

  const ofClimc = [
    'name=nope',
    'id.0=a&id.1=b',
    'status.0=running',
    'hypervisor.0=kvm&hypervisor.1=esxi',
    'filter.0=status.in(ready,%20running)&filter_any=true',
    'obj_tags.0.0.key=env&obj_tags.0.0.value=prod',
    'no_obj_tags.0.0.key=user:env&no_obj_tags.0.0.value=',
    'zone=z&host=h&tenant=t&manager.0=m&account=a&region=r',
    'vpc.0=v&secgroup=s&project_domain=d',
    'provider.0=Aws&brand.0=Aws&cloud_env=private_or_onpremise',
    'os_type=linux',
    'gpu=true&with_eip=true&ip_addrs.0=10.0.0.1',
    'host_sn=x&billing_type=prepaid',
    'search=web',
  ]
  for (const query of ofClimc) {
    test(`climc filters by ${query}`, () => assert.ok(narrows(query)))
  }

  test('climc fields, sort orders, scopes and views are accepted', () => {
    assert.deepEqual(read('field.0=id&field.1=name').keys, ['id', 'name'])
    assert.deepEqual(read('order_by.0=name&order=asc').order, [
      { field: 'name', descending: false },
    ])
    assert.equal(read('scope=system&details=true&with_meta=true').scope, 'system')
    assert.equal(read('pending_delete=all').state, 'live-and-recycled')
    assert.equal(read('delete=').state, 'live')
  })

  const refused: [string, RegExp][] = [
    ['summary_stats=true', /^summary_stats is not supported/],
    ['scope=user', /^scope must be one of project, domain, system, max/],
    ['delete=all', /^delete is not supported/],
    ['joint_filter.0=x', /^joint_filter is not supported/],
    ['user=ada', /^user is not supported/],
    ['group=g', /^group is not supported/],
    ['paging_order=ASC', /^paging_order is not supported/],
    ['limit=-1', /^limit must/],
    ['limit=1.5', /^limit must/],
    ['offset=-1', /^offset must/],
    ['details=yes', /^details must be true or false/],
    ['order=up', /^order must be one of asc, desc/],
    ['search=' + 'x'.repeat(257), /^search must be at most 256/],
    ['format=xml', /^format must be one of json, csv, ndjson/],
    ['pending_delete=maybe', /^pending_delete must be one of/],
    ['stauts=running', /did you mean "status"\?/],
    ['marker=x&offset=0', /^marker cannot/],
    ['metadata=x', /^metadata is not a known parameter/],
  ]
  for (const [query, problem] of refused) {
    test(`rejects ${query.slice(0, 40)}`, () => assert.match(problemOf(query), problem))
  }

  test('SEC-62: rejects fields that depend on the caller', () => {
    for (const name of ['can_delete', 'can_update', 'admin_secgrp_id', 'delete_fail_reason']) {
      assert.match(problemOf(`${name}=x`), new RegExp(`^${name} is not a known parameter`))
    }
  })
})
