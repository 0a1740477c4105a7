import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { showServer, projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const absent = '11111111-2222-4333-8444-555555555555'

onEngineOfLane('one server', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
  })
  after(() => fleet.platform.close())

  const projectId = (at: number) => projectAt(fleet, at).id
  const get = (caller: InventoryCaller, id: string, method = 'GET') =>
    ask<{ server: Server }>(fleet.url, `/servers/${encodeURIComponent(id)}`, {
      method,
      token: caller.token,
    })

  test('is found by its id, as a single object under one key', async () => {
    const server = minimalServer(projectId(0))
    await fleet.record([server])
    const { status, headers, body } = await get(fleet.callers.viewer, server.id)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/json; charset=UTF-8')
    assert.deepEqual(Object.keys(body), ['server'])
    assert.deepEqual([body.server.id, body.server.name], [server.id, server.name])
    assert.deepEqual(body.server.metadata, { 'ext:env': 'prod' })
  })

  test('is found by its name, with any characters', async () => {
    for (const name of ['web-7', 'a/b', 'statistics ', '100%', 'ключ', "o'hara", 'x?y#z']) {
      const server = minimalServer(projectId(0), { name })
      await fleet.record([server])
      assert.equal((await showServer(fleet.callers.owner, name)).id, server.id, name)
    }
    assert.equal((await get(fleet.callers.owner, 'WEB-7')).status, 404)
  })

  test('accepts the parameters that Cloudpods clients send, and no others', async () => {
    const server = minimalServer(projectId(0))
    await fleet.record([server])
    const path = `/servers/${server.id}`
    const { token } = fleet.callers.owner
    const plain = await ask(fleet.url, path, { token })
    const query = '?details=false&with_meta=false&show_fail_reason=true'
    assert.equal((await ask(fleet.url, path + query, { token })).text, plain.text)
    const { fields } = assertError(
      await ask(fleet.url, `${path}?detail=true`, { token }),
      'InputParameterError',
    )
    assert.equal(fields?.[0]?.path, 'detail')
  })

  test('an ambiguous name is 409 with the ids of the visible servers', async () => {
    const name = 'twins'
    const [first, second, beside, foreign] = [0, 0, 1, 3].map((at) =>
      minimalServer(projectId(at), { name }),
    ) as [ReturnType<typeof minimalServer>, ...ReturnType<typeof minimalServer>[]]
    await fleet.record([first])
    assert.equal((await showServer(fleet.callers.owner, name)).id, first.id)
    await fleet.record([second, beside, foreign].filter((each) => each !== undefined))
    const idsFor = async (caller: InventoryCaller) => {
      const { details } = assertError(await get(caller, name), 'ConflictError')
      return (details.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []).sort()
    }
    const ids = (...servers: (ReturnType<typeof minimalServer> | undefined)[]) =>
      servers.map((server) => server?.id ?? '').sort()
    assert.deepEqual(await idsFor(fleet.callers.owner), ids(first, second))
    assert.deepEqual(await idsFor(fleet.callers.domainAdmin), ids(first, second, beside))
    assert.deepEqual(await idsFor(fleet.callers.admin), ids(first, second, beside, foreign))
  })

  test('a name shared with invisible servers finds the visible one', async () => {
    const name = 'lonely'
    const [own, foreign] = [
      minimalServer(projectId(0), { name }),
      minimalServer(projectId(3), { name }),
    ]
    await fleet.record([own, foreign])
    assert.equal((await showServer(fleet.callers.viewer, name)).id, own.id)
    await fleet.record([], [own.id])
    assertError(await get(fleet.callers.viewer, name), 'ResourceNotFoundError')
  })

  test('SEC-62: a server of another tenant is 404 like an unknown one', async () => {
    const name = 'hidden'
    const foreign = minimalServer(projectId(3), { name })
    const beside = minimalServer(projectId(1))
    await fleet.record([foreign, beside])
    const { owner, viewer, domainAdmin } = fleet.callers
    for (const [caller, id] of [
      [owner, foreign.id],
      [viewer, beside.id],
      [domainAdmin, foreign.id],
    ] as const) {
      const [seen, unseen] = [await get(caller, id), await get(caller, absent)]
      assertError(seen, 'ResourceNotFoundError')
      assert.deepEqual(comparableParts(seen), comparableParts(unseen))
    }
    const byName = await get(owner, name)
    assert.deepEqual(comparableParts(byName), comparableParts(await get(owner, 'never was')))
    assert.deepEqual(comparableParts(byName), comparableParts(await get(owner, absent)))
  })

  test('HEAD returns the headers of GET without a body', async () => {
    const server = minimalServer(projectId(0), { name: 'headed' })
    await fleet.record([server])
    const paths = [
      `/servers/${server.id}`,
      '/servers/headed',
      `/servers/${absent}`,
      '/servers?details=true',
      '/servers?limit=1',
      '/servers?limit=x',
      '/servers/statistics',
      `/servers/${server.id}/metadata`,
    ]
    for (const path of paths) {
      const { token } = fleet.callers.owner
      const [head, whole] = [
        await ask(fleet.url, path, { token, method: 'HEAD' }),
        await ask(fleet.url, path, { token }),
      ]
      assert.equal(head.text, '', path)
      const mirrored = (answer: typeof head) => {
        const { status, headers } = comparableParts(answer)
        // The Connection header depends on the client.
        return [status, headers.filter(([name]) => name !== 'connection' && name !== 'keep-alive')]
      }
      assert.deepEqual(mirrored(head), mirrored(whole), path)
    }
  })

  test('in the recycle bin is found by id by all who see the project, and not by name', async () => {
    const server = minimalServer(projectId(0), {
      name: 'binned',
      pending_deleted: true,
      pending_deleted_at: '2026-05-04T08:00:00.000000Z',
      auto_delete_at: '2026-05-07T08:00:00.000000Z',
    })
    await fleet.record([server])
    const { owner, viewer, auditor } = fleet.callers
    for (const caller of [owner, viewer, auditor]) {
      const shown = await showServer(caller, server.id)
      assert.deepEqual([shown.pending_deleted, shown.deleted], [true, false])
      assertError(await get(caller, 'binned'), 'ResourceNotFoundError')
    }
  })

  test('a deleted server is found by id with delete permission, and is 404 for others', async () => {
    const server = minimalServer(projectId(0), { name: 'gone' })
    await fleet.record([server])
    await fleet.record([], [server.id])
    const { owner, viewer, domainAdmin, admin, auditor } = fleet.callers
    for (const caller of [owner, domainAdmin, admin]) {
      const shown = await showServer(caller, server.id)
      assert.equal(shown.deleted, true)
      assert.match(shown.deleted_at ?? '', /Z$/)
      assert.equal(shown.deleted_at, shown.updated_at)
      assert.deepEqual([shown.can_update, shown.update_version], [false, 1])
      assert.notEqual(shown.update_fail_reason, '')
      assertError(await get(caller, 'gone'), 'ResourceNotFoundError')
    }
    for (const caller of [viewer, auditor]) {
      assert.deepEqual(
        comparableParts(await get(caller, server.id)),
        comparableParts(await get(caller, absent)),
      )
    }
  })

  test('a deleted server is checked in its last project: permission elsewhere does not show it', async () => {
    const { auditor } = fleet.callers
    const [own, foreign] = [minimalServer(projectId(3)), minimalServer(projectId(0))]
    await fleet.record([own, foreign])
    await fleet.record([], [own.id, foreign.id])
    const { userId } = auditor
    await fleet.identities.assign({ role: 'project_owner', userId, projectId: projectId(3) })
    assert.equal((await showServer(auditor, own.id)).deleted, true)
    assert.deepEqual(
      comparableParts(await get(auditor, foreign.id)),
      comparableParts(await get(auditor, absent)),
    )
  })
})
