import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'

onEngineOfLane('the ETag of servers', (engine) => {
  let fleet: InventoryWorld
  let server: ServerFacts
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    server = minimalServer(projectAt(fleet, 0).id, { name: 'one' })
    await fleet.record([server, minimalServer(projectAt(fleet, 3).id)])
  })
  after(() => fleet.platform.close())

  const listPath = '/servers?details=true&with_meta=true'
  const paths = () => [listPath, `/servers/${server.id}`]
  // The ETags of other codings are tested in compression.test.ts.
  const plain = { 'accept-encoding': 'identity' }
  const get = (path: string, headers = {}, caller: InventoryCaller = fleet.callers.owner) =>
    ask(fleet.url, path, { token: caller.token, headers: { ...plain, ...headers } })
  const tagOf = async (path: string, caller?: InventoryCaller) =>
    (await get(path, {}, caller)).headers.get('etag') ?? ''
  const tags = (caller?: InventoryCaller) => Promise.all(paths().map((path) => tagOf(path, caller)))

  test('is strong, and is sent with headers that disable shared caches', async () => {
    for (const path of paths()) {
      const { headers } = await get(path)
      assert.match(headers.get('etag') ?? '', /^"[\w-]+"$/)
      assert.equal(headers.get('cache-control'), 'private, no-cache')
      assert.equal(headers.get('vary'), 'X-Auth-Token, Accept, Accept-Encoding')
    }
  })

  test('a matching If-None-Match returns 304 without a body', async () => {
    for (const path of paths()) {
      const etag = await tagOf(path)
      for (const known of [etag, `W/${etag}`, `"other", W/${etag}`, `${etag},"x"`, '*', ' * ']) {
        const answer = await get(path, { 'if-none-match': known })
        assert.deepEqual([answer.status, answer.text], [304, ''], known)
        assert.equal(answer.headers.get('etag'), etag)
        assert.equal(answer.headers.get('cache-control'), 'private, no-cache')
        assert.equal(answer.headers.get('vary'), 'X-Auth-Token, Accept, Accept-Encoding')
        assert.ok(answer.headers.get('x-request-id'))
        assert.equal(answer.headers.get('content-type'), null)
      }
    }
  })

  test('another If-None-Match returns the full response', async () => {
    for (const path of paths()) {
      const etag = await tagOf(path)
      const others = ['"other"', etag.slice(1, -1), `${etag.slice(0, -2)}"`, '"a", "b"', '"*"', '']
      for (const other of others) {
        assert.equal((await get(path, { 'if-none-match': other })).status, 200, other)
      }
    }
  })

  test('permission is checked before the ETag', async () => {
    const foreign = await ask(fleet.url, `/servers/${server.id}`, {
      token: fleet.callers.auditor.token,
      headers: { 'if-none-match': '*' },
    })
    assert.equal(foreign.status, 304)
    const absent = await get('/servers/11111111-2222-4333-8444-555555555555', {
      'if-none-match': '*',
    })
    assert.equal(absent.status, 404)
    const nobody = await ask(fleet.url, listPath, { headers: { 'if-none-match': '*' } })
    assert.equal(nobody.status, 401)
  })

  test('is equal for equal bytes and differs for others', async () => {
    const queries = [
      '',
      'details=true',
      'with_meta=true',
      'details=true&with_meta=true',
      'limit=1',
      'limit=0',
      'offset=1',
      'field=name',
      'field=name&field=id',
      'status=nope',
      'status=running',
      'search=one',
      'details=false',
    ]
    const byTag = new Map<string, string>()
    const byText = new Map<string, string>()
    for (const caller of [fleet.callers.owner, fleet.callers.viewer, fleet.callers.admin]) {
      for (const query of queries) {
        const { headers, text } = await get(`/servers?${query}`, {}, caller)
        const etag = headers.get('etag') ?? ''
        assert.equal(byTag.get(etag) ?? text, text, query)
        assert.equal(byText.get(text) ?? etag, etag, query)
        byTag.set(etag, text)
        byText.set(text, etag)
      }
    }
    assert.ok(byTag.size > 12, String(byTag.size))
  })

  /** How a change affects the ETags of the list and of the server. */
  async function moves(
    change: () => Promise<unknown>,
    caller?: InventoryCaller,
  ): Promise<boolean[]> {
    // Repeated requests are cached.
    for (const _time of [1, 2, 3]) await tags(caller)
    const earlier = await tags(caller)
    await change()
    const later = await tags(caller)
    for (const [at, path] of paths().entries()) {
      const { status } = await get(path, { 'if-none-match': earlier[at] ?? '' }, caller)
      assert.equal(status, earlier[at] === later[at] ? 304 : 200)
    }
    return later.map((tag, at) => tag !== earlier[at])
  }
  const moved = [true, true]
  const stayed = [false, false]

  test('changes with the server and its metadata', async () => {
    server = { ...server, status: 'ready' }
    assert.deepEqual(await moves(() => fleet.record([server])), moved)
    server = { ...server, tags: { env: 'test' } }
    assert.deepEqual(await moves(() => fleet.record([server])), moved)
    const tag = (value: string | null) =>
      fleet.callers.owner.get('mergeServerMetadata', {
        path: { id: server.id },
        body: { metadata: { team: value } },
      })
    assert.deepEqual(await moves(() => tag('blue')), moved)
    assert.deepEqual(await moves(() => tag('blue')), stayed)
    assert.deepEqual(await moves(() => tag(null)), moved)
  })

  test('does not change with an identical scan or with other servers', async () => {
    assert.deepEqual(await moves(() => fleet.record([server])), stayed)
    const foreign = minimalServer(projectAt(fleet, 3).id)
    assert.deepEqual(await moves(() => fleet.record([foreign])), stayed)
  })

  test('changes with the names of the project and domain', async () => {
    const { admin } = fleet.callers
    const { id, domainId } = projectAt(fleet, 0)
    const rename = (name: string) =>
      admin.get('updateProject', { path: { id }, body: { project: { name } } })
    assert.deepEqual(await moves(() => rename('genome two')), moved)
    const domain = { name: 'Research two' }
    const renamed = () => admin.get('updateDomain', { path: { id: domainId }, body: { domain } })
    assert.deepEqual(await moves(renamed), moved)
    assert.deepEqual(await moves(renamed), stayed)
  })

  test('changes with the permissions of the caller', async () => {
    const { viewer } = fleet.callers
    const { id: projectId } = projectAt(fleet, 0)
    const promote = () =>
      fleet.identities.assign({ role: 'project_owner', userId: viewer.userId, projectId })
    const short = await tagOf('/servers', viewer)
    assert.deepEqual(await moves(promote, viewer), moved)
    // The short object has no fields that depend on the caller.
    assert.equal(await tagOf('/servers', viewer), short)
    assert.deepEqual(await tags(viewer), await tags(fleet.callers.owner))
  })

  test('is sent with lists and details; other responses about servers are not stored', async () => {
    for (const path of ['/servers/statistics', `/servers/${server.id}/metadata`]) {
      const { headers } = await get(path)
      assert.equal(headers.get('cache-control'), 'private, no-cache')
      assert.equal(headers.get('vary'), 'X-Auth-Token, Accept, Accept-Encoding')
    }
  })
})
