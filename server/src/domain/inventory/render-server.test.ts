import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filledServer } from '../../testing/inventory-world/filled-server.ts'
import { specifiedServer } from '../../testing/inventory-world/specified-fields.ts'
import { buildServer } from './build-server.ts'
import { shortFields } from './fields.ts'
import { renderServer } from './render-server.ts'
import type { ServerFacts } from './server-facts.ts'

const circumstances = {
  domainId: 'd',
  managerDomainId: 'm',
  ownTags: { env: 'prod' },
  createdAt: '2026-05-04T07:00:00.000000Z',
  updateVersion: 3,
  updatedAt: '2026-05-04T08:00:00.000000Z',
}
const filled = filledServer('p')
const describeFacts = (changes: Partial<ServerFacts> = {}) =>
  buildServer({ ...filled, ...changes }, circumstances)
const server = describeFacts()
const open = (json: string) => JSON.parse(`${json}}`) as Record<string, unknown>

describe('a server built from facts', () => {
  test('has every field of the specification', () => {
    assert.deepEqual(Object.keys(server).sort(), Object.values(specifiedServer).flat().sort())
  })

  test('gets a time of change from Muster only if the source has none', () => {
    const { updated_at: _moment, ...silent } = filled
    assert.equal(buildServer(silent, circumstances).updated_at, circumstances.updatedAt)
    assert.equal(server.updated_at, filled.updated_at)
    assert.equal(server.update_version, 3)
  })

  test('takes its brand from the provider and its GPU flag from the devices', () => {
    assert.equal(describeFacts({ brand: '' }).brand, 'the provider')
    assert.equal(describeFacts({ isolated_devices: [] }).is_gpu, false)
    assert.equal(describeFacts({ isolated_devices: [], is_gpu: true }).is_gpu, true)
    assert.equal(describeFacts({ region_ext_id: '' }).region_external_id, '')
    const bare = describeFacts({ nics: [], secgroups: [], disks_info: [] })
    assert.deepEqual(
      [bare.ips, bare.secgroup, bare.secgrp_id, bare.disk, bare.disk_count, bare.disks],
      ['', '', '', 0, 0, ''],
    )
  })

  test('ignores fields of a source that only Muster may set', () => {
    const sly = { ...filled, domain_id: 'other', tenant_id: 'other', update_version: 99, disk: 1 }
    const { domain_id, tenant_id, update_version, disk } = buildServer(sly, circumstances)
    assert.deepEqual([domain_id, tenant_id, update_version, disk], ['d', 'p', 3, 11_264])
  })
})

describe('a rendered server', () => {
  const later = [
    'project',
    'tenant',
    'project_domain',
    'manager_project',
    'manager_domain',
    'metadata',
    'can_delete',
    'can_update',
    'delete_fail_reason',
    'update_fail_reason',
    'admin_secgrp_id',
    'admin_security_rules',
  ]

  test('leaves out what depends on the caller and the time', () => {
    const { short, rest } = renderServer(server)
    const document = open(`${short},${rest}`)
    for (const name of later) assert.ok(!Object.hasOwn(document, name), name)
    assert.equal(Object.keys(document).length + later.length, Object.keys(server).length)
    assert.equal(`${short}${rest}`.includes('forced'), false)
  })

  test('has a short form with its own order of fields', () => {
    const short = open(renderServer(server).short)
    assert.deepEqual(Object.keys(short), [...shortFields])
    for (const key of shortFields) assert.equal(short[key], server[key], key)
  })

  test('has a digest that changes with its content, and with nothing else', () => {
    const before = renderServer(server).digest
    assert.equal(renderServer(describeFacts()).digest, before)
    for (const changes of [{ name: 'other' }, { host: 'other' }, { tags: { Name: 'eight' } }]) {
      assert.notEqual(renderServer(describeFacts(changes)).digest, before)
    }
  })

  test('has the operator’s group apart, if there is one', () => {
    assert.deepEqual(JSON.parse(`{${renderServer(server).adminGroup}}`), {
      admin_secgrp_id: 'forced',
      admin_security_rules: 'in:deny any',
    })
    const { adminGroup: _group, ...free } = filled
    assert.equal(renderServer(buildServer(free, circumstances)).adminGroup, '')
  })
})
