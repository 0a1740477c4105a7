import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorBody, Server } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { showServer, projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

const many = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, `${at}`]))

onEngineOfLane('limits of server metadata', (engine) => {
  let fleet: InventoryWorld
  let server: ServerFacts
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    server = minimalServer(projectAt(fleet, 0).id, { tags: {} })
    await fleet.record([server])
  })
  after(() => fleet.platform.close())

  /** The body as given, or as JSON. */
  const send = (body: unknown, method = 'POST') =>
    ask<{ metadata: Server['metadata'] } & ErrorBody>(fleet.url, `/servers/${server.id}/metadata`, {
      method,
      token: fleet.callers.owner.token,
      body,
    })

  async function takes(metadata: object, method?: string): Promise<Server['metadata']> {
    const { status, text, body } = await send({ metadata }, method)
    assert.equal(status, 200, text)
    assert.deepEqual((await showServer(fleet.callers.owner, server.id)).metadata, body.metadata)
    return body.metadata
  }

  async function refuses(body: unknown, path: RegExp | string, method?: string): Promise<void> {
    const before = await showServer(fleet.callers.owner, server.id)
    const answer = await send(body, method)
    assert.equal(answer.status, 400, answer.text.slice(0, 200))
    const [problem] = answer.body.fields ?? []
    assert.match(problem?.path ?? '', typeof path === 'string' ? new RegExp(`^${path}$`) : path)
    assert.deepEqual(await showServer(fleet.callers.owner, server.id), before)
  }

  test('64 keys per request and per server', async () => {
    await takes(many(64), 'PUT')
    await refuses({ metadata: { another: 'x' } }, 'metadata')
    await refuses({ metadata: many(65) }, /metadata/, 'PUT')
    await takes({ ...many(1), k1: null, another: 'x' })
    assert.equal(Object.keys(await takes({ k2: null })).length, 63)
    await refuses({ metadata: many(2, 'n') }, 'metadata')
    assert.deepEqual(await takes({}, 'PUT'), {})
  })

  test('keys of 128 characters of any kind', async () => {
    for (const character of ['k', 'ю', '漢', ' ', '=', '"', '%']) {
      const key = character.repeat(128)
      assert.equal((await takes({ [key]: 'x' }, 'PUT'))[`user:${key}`], 'x')
      await refuses({ metadata: { [`${key}${character}`]: 'x' } }, /^metadata/)
    }
    await refuses({ metadata: { '': 'x' } }, /^metadata/)
    await refuses({ metadata: { 'user:': 'x' } }, /^metadata/)
    for (const control of ['a\nb', '\u007f', 'a\u0000', '\u0085']) {
      const { status } = await send({ metadata: { [control]: 'x' } })
      assert.equal(status, 400, JSON.stringify(control))
    }
  })

  test('values of 1,024 characters, texts only', async () => {
    for (const value of ['v'.repeat(1024), '漢'.repeat(1024), '', 'two\nlines', '😀']) {
      assert.equal((await takes({ key: value }, 'PUT'))['user:key'], value)
    }
    for (const value of ['v'.repeat(1025), 7, true, {}, ['x']]) {
      await refuses({ metadata: { key: value } }, /^metadata/)
    }
  })

  test('each key once, with or without prefix', async () => {
    await refuses({ metadata: { env: 'a', 'user:env': 'b' } }, 'metadata.user:env')
    await refuses({ metadata: { 'user:env': null, env: 'b' } }, 'metadata.env')
    const { status } = await send('{"metadata": {"env": "a", "env": "b"}}')
    assert.equal(status, 400)
    const both = await takes({ env: 'a', Env: 'b', 'user:user:env': 'c' }, 'PUT')
    assert.deepEqual(both, { 'user:Env': 'b', 'user:env': 'a', 'user:user:env': 'c' })
  })

  test('a body with the metadata and nothing else', async () => {
    await refuses({ metadata: {}, extra: 1 }, 'extra')
    await refuses({ metdata: {} }, /metdata|metadata/)
    for (const body of [{}, [], 'null', '7', { metadata: null }, { metadata: [] }, '{"metadata"']) {
      for (const method of ['POST', 'PUT']) {
        assert.equal((await send(body, method)).status, 400, JSON.stringify(body))
      }
    }
    const path = `/servers/${server.id}/metadata`
    const { token } = fleet.callers.owner
    assert.equal((await ask(fleet.url, path, { method: 'PATCH', token, body: {} })).status, 405)
    assert.equal((await ask(fleet.url, path, { method: 'DELETE', token })).status, 405)
    assert.equal((await ask(fleet.url, `${path}?x=1`, { token })).status, 400)
  })

  test('names of inherited object properties are ordinary keys', async () => {
    const odd = '{"metadata": {"constructor": "a", "toString": "b", "hasOwnProperty": "c"}}'
    assert.equal((await send(odd, 'PUT')).status, 200)
    // This key is rejected in any body; with its prefix it is allowed.
    await refuses('{"metadata": {"__proto__": "evil"}}', 'metadata.__proto__')
    const { status, body } = await send('{"metadata": {"user:__proto__": "evil"}}')
    assert.equal(status, 200)
    assert.equal(body.metadata['user:__proto__'], 'evil')
    const shown = (await showServer(fleet.callers.owner, server.id)).metadata
    assert.equal(shown['user:constructor'], 'a')
    assert.equal(shown['user:__proto__'], 'evil')
    assert.equal(({} as Record<string, unknown>)['evil'], undefined)
    await takes({ constructor: null, toString: null }, 'POST')
    await takes({}, 'PUT')
  })
})
