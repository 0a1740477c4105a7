import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EventDto, Server } from '@muster/contract'
import { defaultServer } from '../../domain/inventory/build-server.ts'
import { renderingVersion } from '../../domain/inventory/render-server.ts'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { documentsOf } from '../../storage/servers/server-list/load-documents.ts'
import { packDocuments, type Documents } from '../../storage/servers/packed-documents.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { minimalServer, serverWithResources } from '../../testing/inventory-world/minimal-server.ts'
import {
  listServers,
  projectAt,
  showServer,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

const unchanged = { created: 0, changed: 0, gone: 0 }

onBothEngines('servers that an earlier version stored', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
  })
  after(() => fleet.platform.close())

  const record = (...present: readonly ServerFacts[]) => {
    fleet.tick()
    return fleet.platform.inventory.recordServers({ present, gone: [] })
  }
  const show = (id: string) => showServer(fleet.callers.owner, id)
  const renderings = async (ids: readonly string[]) => {
    const rows = fleet.platform.database.db
      .selectFrom('server_documents')
      .select('rendering')
      .where('id', 'in', [...ids])
    return (await rows.execute()).map(({ rendering }) => rendering)
  }
  const history = async (id: string) =>
    (await fleet.callers.owner.get<{ events: EventDto[] }>('getServerHistory', { path: { id } }))
      .events

  /**
   * Stores servers as a version without `boot_order` and `is_gpu` would have, with a field that no
   * longer exists: the first, third and so on uncompressed.
   */
  async function storeEarlier(...facts: readonly Partial<ServerFacts>[]) {
    const present = facts.map((more) => minimalServer(projectAt(fleet, 0).id, more))
    await record(...present)
    const { db, commit } = fleet.platform.database
    const ids = present.map(({ id }) => id)
    const rows = await db
      .selectFrom('server_documents')
      .select(['server', 'packed', 'document', 'metadata'])
      .where('id', 'in', ids)
      .execute()
    const older = (document: Buffer) => {
      const { boot_order: _, is_gpu: __, ...rest } = JSON.parse(`${document.toString()}}`) as Server
      return JSON.stringify({ ...rest, rack_unit: 7 }).slice(1, -1)
    }
    const storedForm = (documents: Documents, at: number) => {
      const [document, metadata] = [older(documents.document), documents.metadata.toString()]
      if (at % 2 > 0)
        return { packed: packDocuments({ short: '{"old":1', rest: document, metadata }) }
      const stored = (text: string) => (engine === 'sqlite' ? Buffer.from(text) : text)
      return { packed: null, document: stored(`{${document}`), metadata: stored(metadata) }
    }
    await commit(
      documentsOf(rows).map((documents, at) =>
        db
          .updateTable('server_documents')
          .set({ rendering: '', ...storedForm(documents, at) })
          .where('server', '=', rows[at]?.server ?? 0)
          .compile(),
      ),
    )
    const [first, ...others] = present
    assert.ok(first)
    return [first, ...others] as const
  }

  test('have all of the fields of this version in lists and by themselves', async () => {
    const [{ id, name }] = await storeEarlier({ name: 'earlier', isolated_devices: [] })
    const shown = await show(id)
    assert.deepEqual(Object.keys(shown).toSorted(), Object.keys(defaultServer).toSorted())
    assert.deepEqual([shown.name, shown.boot_order, shown.is_gpu], [name, 'cdn', false])
    const lists = ['', '&details=true', '&details=true&with_meta=true', '&field=boot_order']
    for (const more of lists) {
      const { servers } = await listServers(fleet.callers.owner, `name=earlier${more}`)
      assert.equal(servers.length, 1, more)
      assert.ok(!('rack_unit' in (servers[0] ?? {})), more)
      if (more.startsWith('&details')) assert.equal(servers[0]?.boot_order, 'cdn')
      if (more === '') assert.equal(servers[0]?.is_gpu, false)
    }
    assert.deepEqual(await renderings([id]), [''])
  })

  test('are rendered again when the same facts are recorded, which is not a change', async () => {
    const present = await storeEarlier({}, {})
    const [{ id }] = present
    const [before, events] = [await show(id), await history(id)]
    assert.deepEqual(await record(...present), unchanged)
    assert.deepEqual(await renderings(present.map((facts) => facts.id)), [
      renderingVersion,
      renderingVersion,
    ])
    assert.deepEqual(await show(id), before)
    assert.deepEqual(await history(id), events)
  })

  test('get the value of a new field without an event, and other changes with one', async () => {
    const [facts] = await storeEarlier({})
    const before = await show(facts.id)
    assert.deepEqual(await record({ ...facts, boot_order: 'dnc' }), unchanged)
    const { boot_order, update_version, updated_at } = await show(facts.id)
    assert.equal(boot_order, 'dnc')
    assert.deepEqual([update_version, updated_at], [before.update_version, before.updated_at])
    assert.equal((await history(facts.id)).length, 1)

    const [other] = await storeEarlier({})
    const changed = { ...other, boot_order: 'dnc', status: 'ready' }
    assert.deepEqual(await record(changed), { ...unchanged, changed: 1 })
    const [event] = await history(other.id)
    assert.deepEqual(event?.changes, { status: ['running', 'ready'] })
    assert.equal((await show(other.id)).update_version, 1)
  })

  test('are rewritten in the background, without events', async () => {
    const { database, inventory } = fleet.platform
    const { db, commit } = database
    const { nics } = serverWithResources('')
    const onNetwork = { nics: nics?.map((nic) => ({ ...nic, network_id: 'net' })) ?? [] }
    const present = await storeEarlier(onNetwork, ...Array.from({ length: 229 }, () => ({})))
    const [{ id }] = present
    // Earlier versions did not store the networks of servers.
    await commit([db.deleteFrom('server_networks').compile()])
    const networks = async () =>
      (await fleet.callers.owner.get<{ networks: { id: string }[] }>('listNetworks')).networks.map(
        (network) => network.id,
      )
    assert.deepEqual(await networks(), [])
    const [before, events] = [await show(id), await history(id)]
    await commit([db.updateTable('server_rendering').set({ version: '' }).compile()])
    const progress: number[] = []
    const { signal } = new AbortController()
    await inventory.rewriteServers(signal, (count) => void progress.push(count))
    assert.ok(progress.length >= 3 && (progress.at(-1) ?? 0) >= 230, String(progress))
    const versions = await renderings(present.map((facts) => facts.id))
    assert.deepEqual(new Set(versions), new Set([renderingVersion]))
    assert.deepEqual(await show(id), before)
    assert.deepEqual(await history(id), events)

    assert.deepEqual(await networks(), ['net'])

    // The next start has nothing to do.
    await storeEarlier({})
    await inventory.rewriteServers(signal, () => assert.fail('it was recorded as complete'))
  })

  test('can be tagged, and the tag is the only change', async () => {
    const [{ id }] = await storeEarlier({})
    const body = { metadata: { note: 'kept' } }
    const answer = await fleet.callers.owner.call('mergeServerMetadata', { path: { id }, body })
    assert.equal(answer.status, 200, answer.text)
    const shown = await show(id)
    assert.deepEqual([shown.metadata['user:note'], shown.boot_order], ['kept', 'cdn'])
    assert.deepEqual(await renderings([id]), [renderingVersion])
  })
})
