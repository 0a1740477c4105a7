import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { askRaw } from '../../testing/raw-socket.ts'
import {
  badParameter,
  listServers,
  namesOf,
  type ListedServers,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

onEngineOfLane('requests of the Cloudpods command line', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { id } = projectAt(fleet, 0)
    const at = (second: number) => ({ created_at: `2026-05-04T08:00:0${second}.000000Z` })
    await fleet.record([
      minimalServer(id, { name: 'a', hypervisor: 'kvm', tags: { env: 'prod' }, ...at(3) }),
      minimalServer(id, { name: 'b', status: 'ready', tags: { env: 'test' }, ...at(2) }),
      minimalServer(id, { name: 'c', status: 'suspend', hypervisor: 'esxi', tags: {}, ...at(1) }),
    ])
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const names = async (query: string) => namesOf(await listServers(owner(), query)).join('')

  test('list servers as recorded from the client', async () => {
    const lines = [
      'GET /servers?details=false&limit=20&offset=0&summary_stats=false HTTP/1.1',
      'Host: localhost',
      'User-Agent: yunioncloud-go/201708',
      'Accept: */*',
      'Accept-Encoding: *',
      `X-Auth-Token: ${owner().token}`,
    ]
    const { status, headers, body } = await askRaw(fleet.url, lines)
    assert.equal(status, 200, body)
    assert.equal(headers['content-type'], 'application/json; charset=UTF-8')
    assert.equal(headers['content-encoding'], undefined)
    const page = JSON.parse(body) as ListedServers
    assert.deepEqual(Object.keys(page), ['limit', 'offset', 'servers', 'total'])
    assert.deepEqual([page.limit, page.offset, page.total], [20, 0, 3])
  })

  test('find no server by an unknown name', async () => {
    const error = await owner().fail('ResourceNotFoundError', 'getServer', { path: { id: 'nope' } })
    assert.equal(error.code, 404)
    assert.deepEqual(await listServers(owner(), 'name=nope'), {
      limit: 20,
      offset: 0,
      servers: [],
      total: 0,
    })
    assert.equal(await names('name=a'), 'a')
  })

  test('accept numbered list parameters', async () => {
    assert.equal(await names('status.0=running&status.1=ready'), 'ab')
    assert.equal((await badParameter(owner(), 'status.0=running&status=suspend'))[0], 'status')
    assert.equal(await names('hypervisor.0=kvm&hypervisor.1=esxi'), 'ac')
    assert.equal(await names("filter.0=name.in('a','b')&filter.1=status.equals('ready')"), 'b')
    const any = "filter.0=name.equals('a')&filter.1=status.equals('ready')&filter_any=true"
    assert.equal(await names(any), 'ab')
    assert.equal(await names('order_by.0=name&order=desc'), 'cba')
    const { servers } = await listServers(owner(), 'field.0=name&field.1=status&limit=1')
    assert.deepEqual(servers, [{ name: 'a', status: 'running' }])
  })

  test('accept obj_tags parameters', async () => {
    const tag = (set: number, at: number, key: string, value: string, name = 'obj_tags') =>
      `${name}.${set}.${at}.key=${key}&${name}.${set}.${at}.value=${value}`
    assert.equal(await names(tag(0, 0, 'env', 'prod')), 'a')
    assert.equal(await names(tag(0, 0, 'ext:env', 'test')), 'b')
    assert.equal(await names(`${tag(0, 0, 'env', 'prod')}&${tag(1, 0, 'env', 'test')}`), 'ab')
    assert.equal(await names(`${tag(0, 0, 'env', 'prod')}&${tag(0, 1, 'env', 'test')}`), '')
    assert.equal(await names('obj_tags.0.0.key=env'), 'ab')
    assert.equal(await names(tag(0, 0, 'env', 'prod', 'no_obj_tags')), 'bc')
    const [path] = await badParameter(owner(), 'obj_tags.0.0.kee=env')
    assert.equal(path, 'obj_tags.0.0.kee')
  })

  test('ignore parameters without effect and reject the others', async () => {
    const plain = await listServers(owner())
    for (const query of [
      'summary_stats=false',
      'show_emulated=true',
      'show_fail_reason=true',
      'admin=false',
      'system=true',
      'joint_filter=',
      'delete=',
      'with_meta=false&details=false&scope=project',
      'scope=max',
    ]) {
      assert.deepEqual(await listServers(owner(), query), plain, query)
    }
    for (const name of ['summary_stats=true', 'joint_filter.0=x', 'delete=all', 'user=ada']) {
      const [path, problem] = await badParameter(owner(), name)
      assert.equal(path, name.split(/[.=]/)[0])
      assert.match(problem, /not supported/)
    }
  })

  const idOf = async (name: string) =>
    (await listServers(owner(), `name=${name}`)).servers[0]?.id ?? ''
  type Metadata = { metadata: Record<string, string>; server: Record<string, string> }

  test('read the metadata and the statistics under the key server', async () => {
    const path = { id: await idOf('a') }
    const { metadata, server } = await owner().get<Metadata>('getServerMetadata', { path })
    assert.equal(metadata['ext:env'], 'prod')
    assert.deepEqual(server, metadata)
    const plain = await owner().get<object>('getServerStatistics')
    const asked = await owner().get<object>('getServerStatistics', {
      query: 'details=false&limit=20&offset=0&summary_stats=false',
    })
    assert.deepEqual(asked, { ...plain, server: plain })
  })

  test('set tags of the user, within the permissions of the caller', async () => {
    const path = { id: await idOf('b') }
    const own = async () => {
      const { metadata } = await owner().get<Metadata>('getServerMetadata', { path })
      return Object.entries(metadata)
        .filter(([key]) => key.startsWith('user:'))
        .map((tag) => tag.join('='))
    }
    const change = (server: object) => ({ path, body: { server } })
    await owner().get('addUserMetadata', change({ team: 'x' }))
    await owner().get('addUserMetadata', change({ 'user:cost': '7' }))
    assert.deepEqual(await own(), ['user:cost=7', 'user:team=x'])
    for (const operation of ['addUserMetadata', 'setUserMetadata'] as const) {
      for (const wrong of [{ 'ext:env': 'x' }, { 'sys:tenant': 'x' }, { '': 'x' }, { a: 1 }]) {
        await owner().fail('InputParameterError', operation, change(wrong))
      }
      await fleet.callers.viewer.fail('ForbiddenError', operation, change({ team: 'y' }))
    }
    await owner().get('setUserMetadata', change({ team: 'z' }))
    assert.deepEqual(await own(), ['user:team=z'])
    await owner().get('setUserMetadata', change({}))
    assert.deepEqual(await own(), [])
  })

  test('count the tags of the visible servers in use', async () => {
    const elsewhere = projectAt(fleet, 4).id
    await fleet.record([
      minimalServer(elsewhere, { name: 'far', tags: { env: 'secret', env2: 'secret' } }),
    ])
    await owner().get('addUserMetadata', {
      path: { id: await idOf('a') },
      body: { server: { env: 'mine' } },
    })
    type Tags = {
      server: { data: { key: string; value?: string; count: number }[]; total: number }
    }
    const tags = async (query: string, caller = owner()) => {
      const defaults = 'details=false&limit=20&offset=0&summary_stats=false'
      const { server } = await caller.get<Tags>('getTagPairs', {
        query: query.includes('limit') ? query : `${defaults}&${query}`,
      })
      const lines = server.data.map(({ key, value, count }) => `${key}=${value}:${count}`)
      return [...lines.filter((line) => !line.startsWith('sys:')), server.total]
    }
    const mine = ['user:env=mine:1', 'ext:env=prod:1', 'ext:env=test:1']
    assert.deepEqual((await tags('')).slice(0, -1), mine)
    assert.deepEqual(await tags('user_meta=true'), ['user:env=mine:1', 1])
    assert.deepEqual(await tags('cloud_meta=true'), ['ext:env=prod:1', 'ext:env=test:1', 2])
    assert.deepEqual(await tags('cloud_meta=true&key_only=true'), ['ext:env=undefined:2', 1])
    assert.deepEqual(await tags('cloud_meta=true&limit=1&offset=1'), ['ext:env=test:1', 2])
    assert.deepEqual(await tags('cloud_meta=true&limit=1&offset=2'), [2])
    const { admin } = fleet.callers
    const everywhere = await tags('cloud_meta=true&scope=system', admin)
    assert.ok(everywhere.includes('ext:env=secret:1'))
    await owner().fail('ForbiddenError', 'getTagPairs', { query: 'scope=system' })
    await owner().fail('InputParameterError', 'getTagPairs', { query: 'admin=true' })
  })
})
