import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EventDto, Impact } from '@muster/contract'
import { createCacheMemory } from '../../domain/cache.ts'
import { createOwners } from '../../domain/inventory/owners.ts'
import { createRecordServers } from '../../domain/inventory/record-servers.ts'
import { createOwnerDirectory } from '../../storage/owners.ts'
import { createRegistry } from '../../storage/registry/registry.ts'
import { createAdminClient, type ContractClient } from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('deletion of owners with servers', (engine) => {
  let platform: TestPlatform
  let identities: IdentityWorld
  let admin: ContractClient
  before(async () => {
    platform = await startPlatform({ engine })
    identities = createIdentityWorld(platform.database)
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  let serial = 0
  async function settle() {
    serial += 1
    const domainId = await identities.addDomain(`Domain ${serial}`)
    const projectId = await identities.addProject('main', domainId)
    const besideId = await identities.addProject('beside', domainId)
    return { domainId, projectId, besideId }
  }
  const record = (...present: ReturnType<typeof minimalServer>[]) =>
    platform.inventory.recordServers({ present, gone: [] })
  const lose = (...gone: string[]) => platform.inventory.recordServers({ present: [], gone })
  const disable = (id: string) =>
    admin.get('updateDomain', { path: { id }, body: { domain: { enabled: false } } })

  async function serversOf(noun: 'Project' | 'Domain', id: string): Promise<number> {
    const { impact } = await admin.get<{ impact: Impact }>(`get${noun}Impact`, { path: { id } })
    return impact.servers
  }

  async function refuses(noun: 'Project' | 'Domain', id: string, count: string): Promise<void> {
    const error = await admin.fail('ConflictError', `delete${noun}`, { path: { id } })
    assert.match(error.details, new RegExp(`\\b${count}\\b`))
    await admin.get(`get${noun}`, { path: { id } })
  }

  const projectIsThere = async (id: string) =>
    (await admin.call('getProject', { path: { id } })).status === 200

  test('a project with servers cannot be deleted', async () => {
    const { projectId, besideId } = await settle()
    const [first, binned] = [minimalServer(projectId), minimalServer(projectId)]
    await record(first, { ...binned, pending_deleted: true })
    assert.deepEqual(
      [await serversOf('Project', projectId), await serversOf('Project', besideId)],
      [2, 0],
    )
    await refuses('Project', projectId, '2 servers')
    await lose(first.id)
    await refuses('Project', projectId, '1 server')
    await lose(binned.id)
    // Deleted servers do not count.
    assert.equal(await serversOf('Project', projectId), 0)
    await admin.get('deleteProject', { path: { id: projectId } })
    await admin.get('deleteProject', { path: { id: besideId } })
    const { events } = await admin.get<{ events: EventDto[] }>('listEvents', {
      query: `target_id=${projectId}&action=delete`,
    })
    const [touched] = (events[0]?.changes['touched'] ?? []) as [Impact?]
    assert.equal(touched?.servers, 0)
  })

  test('a domain with servers in any project cannot be deleted', async () => {
    const { domainId, projectId, besideId } = await settle()
    const [one, other] = [minimalServer(projectId), minimalServer(besideId)]
    await record(one, other)
    assert.equal(await serversOf('Domain', domainId), 2)
    await disable(domainId)
    await refuses('Domain', domainId, '2 servers')
    await lose(one.id, other.id)
    await admin.get('deleteDomain', { path: { id: domainId } })
    assert.equal(await projectIsThere(projectId), false)
  })

  test('a user owns no servers', async () => {
    const { domainId } = await settle()
    const id = await identities.addUser({ name: 'member', domainId })
    const { impact } = await admin.get<{ impact: Impact }>('getUserImpact', { path: { id } })
    assert.equal(impact.servers, 0)
  })

  test('a server created during the deletion check is not orphaned', async () => {
    for (const noun of ['project', 'domain'] as const) {
      const { domainId, projectId } = await settle()
      const id = noun === 'project' ? projectId : domainId
      const { applyChange } = createRegistry(platform.database)
      let tries = 0
      const decided = applyChange(async () => {
        tries += 1
        if (tries > 1) throw new Error('decided again')
        await record(minimalServer(projectId))
        return {
          writes: [
            { do: 'delete', kind: `${noun}s`, id },
            { do: 'require-no-servers', of: noun, id },
          ],
          events: [],
          result: undefined,
        }
      })
      await assert.rejects(decided, /decided again/)
      assert.equal(await projectIsThere(projectId), true)
    }
  })

  test('servers are not written to a project deleted in the meantime', async () => {
    const { projectId, besideId } = await settle()
    const { database, inventory } = platform
    const owners = createOwners(
      createOwnerDirectory(database),
      { current: () => database.currentVersion() },
      createCacheMemory(2 ** 24),
    )
    const serverWriter: typeof inventory.serverWriter = {
      ...inventory.serverWriter,
      async write(writes, events) {
        if (await projectIsThere(projectId)) {
          await admin.get('deleteProject', { path: { id: projectId } })
        }
        return await inventory.serverWriter.write(writes, events)
      },
    }
    const recordServers = createRecordServers({ serverWriter, owners, clock: Date.now })
    const present = [minimalServer(projectId), minimalServer(besideId)]
    await assert.rejects(recordServers({ present, gone: [] }), /a project that does not exist/)
    const stored = await inventory.serverWriter.findStored(present.map(({ id }) => id))
    assert.deepEqual([...stored.keys()], [])
  })

  test('of a concurrent deletion and server creation, one is rejected', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { domainId, projectId } = await settle()
      const isWhole = round % 3 === 0
      if (isWhole) await disable(domainId)
      const server = minimalServer(projectId)
      const [, deletion] = await Promise.allSettled([
        record(server),
        isWhole
          ? admin.call('deleteDomain', { path: { id: domainId } })
          : admin.call('deleteProject', { path: { id: projectId } }),
      ])
      assert.equal(deletion.status, 'fulfilled')
      const { status } = deletion.value
      assert.ok(status === 204 || status === 409, String(status))
      const stored = await platform.inventory.serverWriter.findStored([server.id])
      assert.deepEqual(
        [stored.size, await projectIsThere(projectId)],
        status === 409 ? [1, true] : [0, false],
      )
    }
  })
})
