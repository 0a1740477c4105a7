import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EventDto, Server } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  listServers,
  showServer,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { changedTables, createSnapshots } from '../../testing/platform-world/snapshots.ts'

type Metadata = Server['metadata']
type Wishes = Readonly<Record<string, unknown>>

onEngineOfLane('server metadata', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const call = async (
    id: 'mergeServerMetadata' | 'replaceServerMetadata',
    server: ServerFacts,
    metadata: Wishes,
    caller: InventoryCaller = owner(),
  ) => {
    fleet.tick()
    const path = { id: server.id }
    return (await caller.get<{ metadata: Metadata }>(id, { path, body: { metadata } })).metadata
  }
  const merge = (server: ServerFacts, metadata: Wishes, caller?: InventoryCaller) =>
    call('mergeServerMetadata', server, metadata, caller)
  const replace = (server: ServerFacts, metadata: Wishes) =>
    call('replaceServerMetadata', server, metadata)
  const read = async ({ id }: ServerFacts, caller: InventoryCaller = owner()) =>
    (await caller.get<{ metadata: Metadata }>('getServerMetadata', { path: { id } })).metadata

  async function add(facts: Partial<ServerFacts> = {}, at = 0): Promise<ServerFacts> {
    const server = minimalServer(projectAt(fleet, at).id, {
      tags: { env: 'source', Name: 'x' },
      notes: { source_status: 'RUNNING' },
      ...facts,
    })
    await fleet.record([server])
    return server
  }
  const given = { 'ext:Name': 'x', 'ext:env': 'source', 'sys:source_status': 'RUNNING' }

  test('is returned with prefixes to all who see the server, by name too', async () => {
    const server = await add({ name: 'tagged' })
    for (const caller of [owner(), fleet.callers.viewer, fleet.callers.auditor]) {
      assert.deepEqual(await read(server, caller), given)
    }
    const path = { id: 'tagged' }
    const { metadata } = await owner().get<{ metadata: Metadata }>('getServerMetadata', { path })
    assert.deepEqual(metadata, given)
  })

  test('POST merges: named keys are set, null deletes, the rest stays', async () => {
    const server = await add()
    const first = await merge(server, { env: 'prod', 'user:team': 'blue', empty: '' })
    const wanted = { ...given, 'user:env': 'prod', 'user:team': 'blue', 'user:empty': '' }
    assert.deepEqual(first, wanted)
    assert.deepEqual(await read(server), wanted)
    const second = await merge(server, { team: null, 'user:env': 'test', never: null })
    assert.deepEqual(second, { ...given, 'user:env': 'test', 'user:empty': '' })
    assert.deepEqual((await showServer(owner(), server.id)).metadata, second)
    const [listed] = (await listServers(owner(), `id=${server.id}&with_meta=true`)).servers
    assert.deepEqual(listed?.metadata, second)
  })

  test('PUT replaces the user metadata and keeps the source tags', async () => {
    const server = await add()
    await merge(server, { env: 'prod', team: 'blue' })
    assert.deepEqual(await replace(server, { 'user:cost': '7', team: null }), {
      ...given,
      'user:cost': '7',
    })
    assert.deepEqual(await replace(server, {}), given)
  })

  test('keys of the source and of Muster are read-only, and the error names the key', async () => {
    const server = await add()
    for (const key of ['ext:Name', 'sys:source_status', 'ext:', 'sys:new', 'ext:env']) {
      for (const operation of ['mergeServerMetadata', 'replaceServerMetadata'] as const) {
        for (const value of ['mine', null]) {
          const { fields } = await owner().fail('InputParameterError', operation, {
            path: { id: server.id },
            body: { metadata: { good: 'x', [key]: value } },
          })
          assert.equal(fields?.[0]?.path, `metadata.${key}`)
        }
      }
    }
    assert.deepEqual(await read(server), given)
  })

  test('a change updates version, time and ETag of the server; a repeat does not', async () => {
    const server = await add()
    const before = await showServer(owner(), server.id)
    await merge(server, { env: 'prod' })
    const after = await showServer(owner(), server.id)
    assert.equal(after.update_version, before.update_version + 1)
    assert.ok((after.updated_at ?? '') > (before.updated_at ?? ''))
    const takeSnapshot = await createSnapshots(fleet.platform.database)
    const snapshot = await takeSnapshot()
    await merge(server, { 'user:env': 'prod', never: null })
    await replace(server, { env: 'prod' })
    assert.deepEqual(changedTables(snapshot, await takeSnapshot()), [])
    assert.deepEqual(await showServer(owner(), server.id), after)
  })

  test('can be searched at once, user metadata before source tags', async () => {
    const server = await add({ description: 'sought' })
    const found = async (query: string) =>
      (await listServers(owner(), `description=sought&${query}`)).total
    assert.deepEqual([await found('tags=env=source'), await found('tags=env=own')], [1, 0])
    await merge(server, { env: 'own' })
    assert.deepEqual([await found('tags=env=source'), await found('tags=env=own')], [0, 1])
    assert.equal(await found('tags=ext:env=source'), 1)
    assert.equal(await found('search=own'), 1)
    await merge(server, { env: null })
    assert.deepEqual([await found('tags=env=source'), await found('tags=env=own')], [1, 0])
  })

  test('user metadata survives a scan, and source tags follow it', async () => {
    const server = await add()
    await merge(server, { env: 'own', mine: 'yes' })
    await fleet.record([{ ...server, status: 'ready', tags: { env: 'new' }, notes: {} }])
    const wanted = { 'ext:env': 'new', 'user:env': 'own', 'user:mine': 'yes' }
    assert.deepEqual(await read(server), wanted)
    await fleet.record([], [server.id])
    await fleet.record([{ ...server, tags: {}, notes: {} }])
    assert.deepEqual(await read(server), { 'user:env': 'own', 'user:mine': 'yes' })
    // The same scan again, although the metadata has changed meanwhile.
    await merge(server, { mine: null })
    await fleet.record([{ ...server, tags: {}, notes: {} }])
    assert.deepEqual(await read(server), { 'user:env': 'own' })
  })

  test('requires update permission: 403 for viewers, 404 for callers without access', async () => {
    const server = await add()
    const [foreign, body] = [await add({}, 3), { metadata: { env: 'x' } }]
    const absent = '11111111-2222-4333-8444-555555555555'
    for (const operation of ['mergeServerMetadata', 'replaceServerMetadata'] as const) {
      for (const caller of [fleet.callers.viewer, fleet.callers.auditor]) {
        await caller.fail('ForbiddenError', operation, { path: { id: server.id }, body })
      }
      for (const id of [foreign.id, absent, 'no such name']) {
        await owner().fail('ResourceNotFoundError', operation, { path: { id }, body })
      }
    }
    for (const id of [foreign.id, absent]) {
      await owner().fail('ResourceNotFoundError', 'getServerMetadata', { path: { id } })
    }
    await merge(server, { by: 'domain' }, fleet.callers.domainAdmin)
    await merge(foreign, { by: 'system' }, fleet.callers.admin)
    assert.equal((await read(foreign, fleet.callers.admin))['user:by'], 'system')
  })

  test('of a deleted server is read-only: 409; in the recycle bin it can be changed', async () => {
    const [gone, binned] = [await add(), await add({ pending_deleted: true })]
    await fleet.record([], [gone.id])
    const details = { path: { id: gone.id }, body: { metadata: { a: 'b' } } }
    await owner().fail('InvalidStatusError', 'mergeServerMetadata', details)
    await owner().fail('InvalidStatusError', 'replaceServerMetadata', details)
    assert.deepEqual(await read(gone), given)
    assert.equal((await merge(binned, { a: 'b' }))['user:a'], 'b')
  })

  test('changes are recorded in the audit log with the values before and after', async () => {
    const server = await add({ name: 'audited' })
    await merge(server, { env: 'prod', team: 'blue', cost: '1' })
    await replace(server, { env: 'test', cost: '1', new: '' })
    const { events } = await fleet.callers.admin.get<{ events: EventDto[] }>('listEvents', {
      query: `target_id=${server.id}`,
    })
    const [second, first, ...others] = events
    assert.deepEqual(others, [])
    assert.deepEqual(first?.changes, {
      'user:env': [null, 'prod'],
      'user:team': [null, 'blue'],
      'user:cost': [null, '1'],
    })
    assert.deepEqual(second?.changes, {
      'user:env': ['prod', 'test'],
      'user:team': ['blue', null],
      'user:new': [null, ''],
    })
    const { action, target_type, target_name, user_id, project_id, domain_id, result } = second
    assert.deepEqual(
      { action, target_type, target_name, user_id, project_id, domain_id, result },
      {
        action: 'update',
        target_type: 'server',
        target_name: 'audited',
        user_id: owner().userId,
        result: 'success',
        project_id: server.project_id,
        domain_id: projectAt(fleet, 0).domainId,
      },
    )
  })

  test('concurrent changes are all stored', async () => {
    const server = await add()
    const keys = Array.from({ length: 12 }, (_, at) => `k${at}`)
    await Promise.all(keys.map((key) => merge(server, { [key]: key })))
    const metadata = await read(server)
    for (const key of keys) assert.equal(metadata[`user:${key}`], key)
    assert.equal((await showServer(owner(), server.id)).update_version, keys.length)
  })
})
