import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask } from '../../testing/client.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { createMcpClient, mcpVersions } from '../../testing/mcp-client.ts'
import { cleanClientName, readMcpClient, readSessionId, toSessionId } from './mcp-client.ts'

onEngineOfLane('hostile requests of MCP', (engine) => {
  let fleet: InventoryWorld
  let headers: Readonly<Record<string, string>>
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 3 })
    headers = { authorization: `Bearer ${fleet.callers.owner.token}` }
  })
  after(() => fleet.platform.close())

  for (const version of mcpVersions) {
    test(`need a token or a key, and no cookie is one, by ${version}`, async () => {
      const { token } = fleet.callers.owner
      for (const wrong of [
        {},
        { authorization: 'Bearer nonsense' },
        { authorization: `Token ${token}` },
        { cookie: `muster_session=${token}; __Host-muster=${token}` },
        { 'x-nested-call': 'nonsense' },
        { 'x-nested-call': '' },
      ]) {
        const client = createMcpClient(fleet.url, version, { headers: wrong })
        const { status, text } = await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })
        assert.equal(status, 401, JSON.stringify(wrong) + text)
        assert.match(text, /Authorization: Bearer/)
      }
    })

    test(`of pages of other origins are refused, by ${version}`, async () => {
      const client = createMcpClient(fleet.url, version, { headers })
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
      for (const [more, status] of [
        [{ origin: 'https://evil.example' }, 403],
        [{ origin: 'null' }, 403],
        [{ origin: `${fleet.url}.evil.example` }, 403],
        [{ origin: fleet.url, 'sec-fetch-site': 'cross-site' }, 403],
        [{ 'sec-fetch-site': 'same-site' }, 403],
        [{ origin: fleet.url, 'sec-fetch-site': 'same-origin' }, 200],
      ] as const) {
        assert.equal((await client.post(ping, more)).status, status, JSON.stringify(more))
      }
    })

    test(`are limited in size and in form, by ${version}`, async () => {
      const client = createMcpClient(fleet.url, version, { headers })
      const session = version === '2025-11-25' ? await client.sessionHeaders() : {}
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      for (const [body, status] of [
        [{ ...list, params: { fill: 'x'.repeat(70_000) } }, 413],
        [[list, list], 400],
        [[], 400],
        ['{"jsonrpc":"2.0","id":1', 400],
        ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', 400],
        [`${'['.repeat(40)}${']'.repeat(40)}`, 400],
        [{ id: 1, method: 'tools/list' }, 400],
        [{ jsonrpc: '2.0', id: 1 }, 400],
        ['null', 400],
      ] as const) {
        const answer = await client.post(body, session)
        assert.equal(answer.status, status, JSON.stringify(body).slice(0, 80) + answer.text)
      }
      const plain = await client.post('{}', { 'content-type': 'text/plain' })
      assert.equal(plain.status, 415)
    })

    test(`with unknown methods are errors of the protocol, by ${version}`, async () => {
      const client = createMcpClient(fleet.url, version, { headers })
      for (const method of ['tools/delete', 'sampling/createMessage', '__proto__']) {
        const [answer] = await client.exchange(method)
        assert.equal(answer?.error?.code, -32_601, method)
      }
      const [prototype] = await client.exchange('tools/call', { name: 'constructor' })
      assert.equal(prototype?.error?.code, -32_602)
    })
  }

  test('of unknown versions name those that Muster speaks', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const client = createMcpClient(fleet.url, '2025-11-25', { headers })
    const legacy = await client.post(ping, { 'mcp-protocol-version': '1999-01-01' })
    assert.equal(legacy.status, 400)
    const unknown = await client.post(ping, { 'mcp-session-id': 'nonsense' })
    assert.equal(unknown.status, 404)
    const long = await client.post(ping, { 'mcp-session-id': 'A'.repeat(2_000) })
    assert.equal(long.status, 404)
  })

  test('of other methods are answered with those that are allowed', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers: given } = await ask(fleet.url, '/mcp', { method, headers })
      assert.deepEqual([status, given.get('allow')], [405, 'POST'])
    }
  })

  test('open no stream that waits for changes', async () => {
    const client = createMcpClient(fleet.url, '2026-07-28', { headers })
    const [answer] = await client.exchange('subscriptions/listen', { notifications: {} })
    assert.match(answer?.error?.message ?? '', /limit/)
  })
})

test('names of clients are one line of visible characters', () => {
  for (const [name, clean] of [
    ['Claude Code', 'Claude Code'],
    ['a\nb\u202Ec\u{E0041}d', 'a b c d'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['', 'unknown'],
    [{ toString: 'x' }, 'unknown'],
    [undefined, 'unknown'],
  ] as const) {
    assert.equal(cleanClientName(name), clean)
  }
})

test('sessions carry what the client said, on any process', () => {
  for (const capabilities of [{}, { elicitation: {} }, { elicitation: { url: {} } }]) {
    const client = readMcpClient({ name: 'Ünïcode "client"' }, capabilities)
    assert.deepEqual(readSessionId(toSessionId(client)), client)
    assert.equal(
      client.canAsk,
      'elicitation' in capabilities && !('url' in capabilities.elicitation),
    )
  }
  assert.equal(readMcpClient({}, { elicitation: { form: {}, url: {} } }).canAsk, true)
})
