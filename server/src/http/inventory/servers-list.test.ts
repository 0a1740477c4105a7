import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  askServers,
  badParameter,
  listServers,
  namesOf,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

/** The fields of the short object, as specified. */
const shortObject = `id name status description created_at updated_at project_id
  tenant_id domain_id provider brand hypervisor os_type vcpu_count vmem_size disk ips zone region cloudregion_id zone_id host_id
  instance_type billing_type external_id is_gpu pending_deleted`.split(/\s+/)

const count = 45

onEngineOfLane('the list of servers', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { id } = projectAt(fleet, 0)
    await fleet.record(
      Array.from({ length: count }, (_, at) =>
        minimalServer(id, {
          name: `s${at}`,
          created_at: `2026-05-04T08:00:${String(at).padStart(2, '0')}.000001Z`,
        }),
      ),
    )
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const list = (query = '') => listServers(owner(), query)

  test('is 200 with exactly the content type and keys of the specification', async () => {
    const { status, headers, text, body } = await askServers(fleet.url, owner(), '', {
      'accept-encoding': 'identity',
    })
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/json; charset=UTF-8')
    assert.ok(headers.get('x-request-id'))
    assert.equal(headers.get('content-encoding'), null)
    assert.equal(Number(headers.get('content-length')), Buffer.byteLength(text))
    assert.deepEqual(Object.keys(body), ['limit', 'offset', 'servers', 'total'])
    assert.deepEqual([body.limit, body.offset, body.total], [20, 0, count])
    assert.equal(body.servers.length, 20)
  })

  test('accepts a JSON Content-Type and no other', async () => {
    const typed = (type: string) => askServers(fleet.url, owner(), '', { 'content-type': type })
    assert.equal((await typed('application/json')).status, 200)
    assert.equal((await typed('application/json; charset=utf-8')).status, 200)
    assert.equal((await typed('text/plain')).status, 415)
  })

  test('returns the short object unless details are requested', async () => {
    for (const query of ['', 'details=false', 'details=0']) {
      const { servers } = await list(query)
      for (const server of servers) assert.deepEqual(Object.keys(server), shortObject)
    }
  })

  test('returns metadata only on request, at the end of either object', async () => {
    const keysOf = async (query: string) =>
      Object.keys((await list(`limit=1&${query}`)).servers[0] ?? {})
    assert.deepEqual(await keysOf('with_meta=true'), [...shortObject, 'metadata'])
    assert.ok(!(await keysOf('details=true')).includes('metadata'))
    const full = await keysOf('details=true&with_meta=1')
    assert.deepEqual(full, [...(await keysOf('details=true')), 'metadata'])
    const { servers } = await list('limit=1&with_meta=true')
    assert.deepEqual(servers[0]?.metadata, { 'ext:env': 'prod' })
  })

  test('is sorted newest first, with limit and offset', async () => {
    const newest = Array.from({ length: count }, (_, at) => `s${count - 1 - at}`)
    assert.deepEqual(namesOf(await list('limit=2048')), newest)
    assert.deepEqual(namesOf(await list('limit=3&offset=4')), newest.slice(4, 7))
    const last = await list(`offset=${count - 2}`)
    assert.deepEqual([namesOf(last), last.offset], [newest.slice(-2), count - 2])
    const beyond = await list(`offset=${count + 7}&limit=5`)
    assert.deepEqual(beyond, { limit: 5, offset: count + 7, servers: [], total: count })
  })

  test('caps the limit at 2048 and reports it', async () => {
    assert.equal((await list('limit=2048')).limit, 2048)
    assert.equal((await list('limit=2049')).limit, 2048)
    assert.equal((await list('limit=999999999999')).limit, 2048)
  })

  test('limit 0 returns no servers and the total', async () => {
    const { headers, body } = await askServers(fleet.url, owner(), 'limit=0')
    assert.deepEqual(body, { limit: 0, offset: 0, servers: [], total: count })
    assert.equal(headers.get('link'), null)
  })

  test('names an invalid parameter', async () => {
    for (const name of ['limit', 'offset']) {
      for (const value of ['-1', '1.5', 'ten', '', '0x10', '1e2', '%2B1', ' 1', 'NaN']) {
        assert.equal((await badParameter(owner(), `${name}=${value}`))[0], name, value)
      }
    }
    for (const query of ['details=yes', 'with_meta=TRUE', 'filter_any=2', 'order=up']) {
      assert.equal((await badParameter(owner(), query))[0], query.split('=')[0])
    }
  })

  test('suggests a name for an unknown parameter', async () => {
    const [path, problem] = await badParameter(owner(), 'stauts=running')
    assert.equal(path, 'stauts')
    assert.match(problem, /did you mean "status"/)
    assert.match((await badParameter(owner(), 'detials=true'))[1], /"details"/)
    assert.match((await badParameter(owner(), 'order_by=nmae'))[1], /"name"/)
    assert.match((await badParameter(owner(), 'field=staus'))[1], /"status"/)
    assert.doesNotMatch((await badParameter(owner(), 'xyzzyplugh=1'))[1], /did you mean/)
  })

  test('rejects a repeated single-value parameter', async () => {
    for (const query of ['limit=1&limit=1', 'details=true&details=true', 'search=a&search=a']) {
      assert.equal((await badParameter(owner(), query))[0], query.split('=')[0])
    }
    assert.equal((await list('status=ready&status=running')).total, count)
  })

  test('returns exactly the requested keys in their order', async () => {
    const keysOf = async (query: string) =>
      Object.keys((await list(`limit=1&${query}`)).servers[0] ?? {})
    assert.deepEqual(await keysOf('field=name&field=id'), ['name', 'id'])
    assert.deepEqual(await keysOf('field=name&field=name'), ['name'])
    assert.deepEqual(await keysOf('field=project&field=can_update&details=false'), [
      'project',
      'can_update',
    ])
    assert.deepEqual(await keysOf('field=metadata&field=nics'), ['metadata', 'nics'])
    assert.deepEqual(await keysOf('export_keys=id,name'), ['id', 'name'])
    const [server] = (await list('limit=1&field=project&field=metadata')).servers
    assert.deepEqual(server, { project: 'genome', metadata: { 'ext:env': 'prod' } })
  })

  test('returns the same bytes for the same query', async () => {
    const first = await askServers(fleet.url, owner(), 'details=true&with_meta=true')
    const second = await askServers(fleet.url, owner(), 'with_meta=true&details=1&limit=20')
    assert.equal(first.text, second.text)
    assert.equal(first.headers.get('etag'), second.headers.get('etag'))
  })
})
