import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

/** With characters that JSON and SQL escape. */
const secret = `p"a\\ss'w%_ord`

onEngineOfLane('redacting history', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 4 })
  })
  after(() => fleet.platform.close())

  const call = async (
    path: string,
    { caller = fleet.callers.admin, body }: { caller?: { token: string }; body?: object } = {},
  ) => {
    const response = await fetch(fleet.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-auth-token': caller.token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  const tag = async (id: string, metadata: Record<string, string | null>) => {
    fleet.tick()
    const { status, text } = await call(`/servers/${id}/metadata`, { body: { metadata } })
    assert.equal(status, 200, text)
  }
  const redact = (id: string, field: string, value: string, caller?: { token: string }) =>
    call(`/servers/${id}/redact-history`, {
      ...(caller && { caller }),
      body: { redaction: { field, value } },
    })
  const firstServer = async () => {
    const { text } = await call('/servers?scope=system&limit=1&order_by=id')
    const [server] = (JSON.parse(text) as { servers: Server[] }).servers
    assert.ok(server)
    return server
  }
  /** Everything that tells of the past of a server. */
  async function past(id: string, asOf: string): Promise<string> {
    const texts = await Promise.all(
      [
        `/servers/changes?scope=system&limit=2048&id=${id}`,
        `/servers/${id}?as_of=${asOf}`,
        `/servers?scope=system&with_meta=true&details=true&as_of=${asOf}`,
        `/servers/${id}/history?limit=2048`,
        '/events?limit=2048',
        '/events?format=ndjson',
      ].map(async (path) => {
        const { text } = await call(path)
        return text
      }),
    )
    return texts.join('\n')
  }
  const hasSecret = (text: string) => text.includes(JSON.stringify(secret).slice(1, -1))

  test('replaces the text in changes, moments and events, and tells who did it', async () => {
    const { id } = await firstServer()
    await tag(id, { note: `the login is ${secret}`, other: 'kept' })
    const then = timestamp(fleet.tick())
    // Several times, because repeated requests may be answered from a cache.
    for (let times = 0; times < 3; times += 1) assert.ok(hasSecret(await past(id, then)))

    const early = await redact(id, 'user:note', secret)
    assert.equal(early.status, 409, early.text)
    assert.match(early.text, /Change it first/)

    await tag(id, { note: null })
    const done = await redact(id, 'user:note', secret)
    assert.equal(done.status, 200, done.text)
    assert.deepEqual(JSON.parse(done.text), { redaction: { changes: 2, events: 2 } })

    const told = await past(id, then)
    assert.ok(!hasSecret(told))
    assert.ok(told.includes('the login is [redacted]') && told.includes('"kept"'))
    const { text } = await call('/events?action=redact')
    assert.ok(text.includes(id) && text.includes('user:note') && !hasSecret(text))
    assert.deepEqual(JSON.parse((await redact(id, 'user:note', secret)).text), {
      redaction: { changes: 0, events: 0 },
    })
  })

  test('replaces it in the last version of a server that is gone', async () => {
    const { id } = await firstServer()
    await tag(id, { note: secret })
    const then = timestamp(fleet.tick())
    await fleet.record([], [id])
    const gone = await redact(id, 'user:note', secret)
    assert.equal(gone.status, 200, gone.text)
    assert.ok(!hasSecret(await past(id, then)))
    const { text } = await call(`/servers/${id}?as_of=${then}`)
    assert.equal(
      (JSON.parse(text) as { server: Server }).server.metadata['user:note'],
      '[redacted]',
    )
  })

  test('replaces it in a server that is deleted and still stored, and in its name everywhere', async () => {
    const { id } = await firstServer()
    await tag(id, { note: secret })
    const { facts } = fleet.world.facts().find((one) => one.facts.id === id) ?? assert.fail()
    fleet.tick()
    await fleet.record([{ ...facts, name: `named ${secret}` }])
    const then = timestamp(fleet.tick())
    await fleet.record([], [id])
    for (const field of ['user:note', 'name']) {
      const answer = await redact(id, field, secret)
      assert.equal(answer.status, 200, answer.text)
    }
    assert.ok(!hasSecret(await past(id, then)))
    const { text } = await call(`/servers?scope=system&deleted=true&details=true&with_meta=true`)
    assert.ok(text.includes(id) && !hasSecret(text))
  })

  test('is refused for other fields, unknown servers, and everybody but system administrators', async () => {
    const { id } = await firstServer()
    const field = await redact(id, 'status', 'running')
    assert.equal(field.status, 400)
    assert.match(field.text, /field must be a tag/)
    const none = await redact('00000000-0000-4000-8000-000000000000', 'user:note', secret)
    assert.equal(none.status, 404, none.text)
    const { owner, domainAdmin, auditor } = fleet.callers
    for (const caller of [owner, domainAdmin, auditor]) {
      assert.equal((await redact(id, 'user:note', secret, caller)).status, 403, caller.name)
    }
  })
})
