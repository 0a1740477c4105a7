import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { before, describe, test } from 'node:test'
import type { EventDto, Server } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  domainServerId,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { ask } from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { databaseMessage, doomed, failMarkedEvents } from '../../testing/failing-event-log.ts'
import { refuse, startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { domain, some, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { changedTables, createSnapshots } from '../../testing/platform-world/snapshots.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'

onPostgresFirst('changes at a source', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let owner: Awaited<ReturnType<Attached['addCaller']>>
  before(async () => {
    at = await startAttached(lifetime, engine)
    owner = await at.addCaller('project_owner')
    await failMarkedEvents(at.database)
  })

  const look = (id: string, who: Pick<typeof owner, 'call'> = owner) =>
    who.call<{ server: Server }>('syncServer', { path: { id } })
  const eventsOf = async (query: string) =>
    (await at.admin.get<{ events: EventDto[] }>('listEvents', { query })).events
  /** One instance in an account that is synced only on request. */
  async function attachOne(ec2: FakeEc2, changes?: object) {
    ec2.instances.set('i-1', { name: 'one', owner: newId() })
    const account = await at.attachEc2(ec2, changes)
    const [server] = await at.servers(account)
    assert.ok(server)
    const set = (changed: object) => {
      const before = ec2.instances.get('i-1') ?? { name: '' }
      ec2.instances.set('i-1', { ...before, ...changed })
    }
    return { account, id: server.id, set }
  }

  test('are visible within moments if the source sends events, whatever the sync period', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: some })
    const account = await at.attachLibvirt(libvirt)
    const names = async () =>
      (await at.servers(account)).map(({ name, status }) => `${name} ${status}`)
    assert.deepEqual(await names(), ['guest-1 running', 'guest-2 ready', 'guest-3 running'])
    libvirt.domains.set(uuidOf(2), domain(2))
    libvirt.domains.set(uuidOf(3), domain(3, { name: 'renamed' }))
    libvirt.domains.set(uuidOf(4), domain(4, { state: 3 }))
    libvirt.domains.delete(uuidOf(1))
    for (const number of [1, 2, 3, 4]) libvirt.sendEvent(domain(number))
    const wanted = ['guest-2 running', 'guest-4 suspend', 'renamed running']
    await eventually('all of it shows', async () => String(await names()) === String(wanted), {
      deadline: 10,
    })
    // Also changes from before the listener was connected.
    libvirt.domains.set(uuidOf(2), domain(2, { state: 5 }))
    libvirt.drop()
    await eventually('it shows', async () => (await names()).includes('guest-2 ready'))
  })

  // They wait for seconds, so they run concurrently.
  describe('without events', { concurrency: true }, () => {
    test('are visible within one sync period', async (context) => {
      const ec2 = await startFakeEc2(context)
      const { account, id, set } = await attachOne(ec2, { period: 5 })
      set({ state: 'stopped' })
      await eventually('it shows', async () => (await at.server(id))?.status === 'ready')
      await at.update(account.id, { enabled: false })
    })

    test('a slow source returns 202, and the change is visible later', async (context) => {
      const ec2 = await startFakeEc2(context)
      const { id, set } = await attachOne(ec2)
      set({ state: 'stopped' })
      const held: ServerResponse[] = []
      ec2.misbehave = ({ action }, response) =>
        action === 'DescribeInstances' && held.push(response) > 0
      const slow = await look(id)
      assert.deepEqual([slow.status, slow.text], [202, ''])
      assert.equal((await at.server(id))?.status, 'running')
      ec2.misbehave = undefined
      // A read is repeated.
      for (const response of held) refuse(response, 500, 'InternalError')
      await eventually('it shows', async () => (await at.server(id))?.status === 'ready')
    })

    test('concurrent single-server refreshes are limited, and scans do not wait for them', async (context) => {
      const ec2 = await startFakeEc2(context)
      for (let number = 2; number <= 12; number += 1) {
        ec2.instances.set(`i-${number}`, { name: `crowd-${number}`, owner: newId() })
      }
      const { account, set } = await attachOne(ec2)
      const servers = await at.servers(account)
      assert.equal(servers.length, 12)
      const { id } = servers.find(({ name }) => name === 'one') ?? assert.fail()
      const held: ServerResponse[] = []
      ec2.misbehave = ({ action }, response) =>
        action === 'DescribeInstances' && held.length < 8 && held.push(response) > 0
      const others = servers.filter((server) => server.id !== id)
      const crowd = await Promise.all([...others, ...others].map((server) => look(server.id)))
      const statuses = Map.groupBy(crowd, ({ status }) => status)
      // Concurrent refreshes of the same server share one request.
      assert.deepEqual([statuses.get(202)?.length, statuses.get(429)?.length], [16, 6])
      assert.equal(held.length, 8)
      set({ name: 'seen by a scan' })
      await at.sync(account.id)
      assert.equal((await at.server(id))?.name, 'seen by a scan')
      for (const response of held) response.destroy()
    })
  })

  test('a single-server refresh returns 200 with the current server', async (context) => {
    const ec2 = await startFakeEc2(context)
    const { account, id, set } = await attachOne(ec2)
    // A repeat returns the same.
    await eventually(
      'its age is known',
      async () => (await at.server(id))?.metadata['sys:synced_at'],
    )
    set({ state: 'stopped', tags: { team: 'web' } })
    assert.equal((await at.server(id))?.status, 'running')
    const { status, body } = await look(id)
    assert.deepEqual([status, body.server.status], [200, 'ready'])
    assert.equal(body.server.metadata['ext:team'], 'web')
    const { server } = await owner.get<{ server: Server }>('getServer', { path: { id } })
    assert.deepEqual(body.server, server)

    const [event, ...others] = await eventsOf(`target_id=${id}&action=sync`)
    assert.equal(others.length, 0)
    const { target_type, target_name, user_id, project_id, result, ip } = event ?? assert.fail()
    assert.deepEqual(
      { target_type, target_name, user_id, project_id, result, ip },
      {
        target_type: 'server',
        target_name: 'one',
        user_id: owner.userId,
        project_id: at.projectId,
        result: 'success',
        ip: '127.0.0.1',
      },
    )
    // Nothing else was requested, and nothing was written without a change.
    assert.equal((await at.show(account.id)).sync.finished_at, account.sync.finished_at)
    const before = await at.server(id)
    assert.equal((await look(id)).status, 200)
    assert.deepEqual(await at.server(id), before)
    // By name too.
    set({ name: `named ${newId()}` })
    assert.equal((await look(id)).status, 200)
    const { name } = (await at.server(id)) ?? assert.fail()
    assert.equal((await look(name)).body.server.id, id)
    // A sudden empty result is not trusted.
    ec2.instances.clear()
    assertError(await look(id), 'BadGateway')
    // Nor is a result with only other servers.
    const owner2 = newId()
    ec2.instances.set('i-2', { name: 'another', owner: owner2 })
    const held = await look(id)
    assert.deepEqual([held.status, held.body.server?.status], [200, 'unknown'])
    // A missing server is deleted, now that others remain: callers who can see deleted servers get it.
    ec2.instances.set('i-3', { name: 'yet another', owner: owner2 })
    await at.sync(account.id)
    const next = (await at.servers(account)).find((server) => server.name === 'yet another')
    ec2.instances.delete('i-3')
    const gone = await look(next?.id ?? '')
    assert.deepEqual([gone.status, gone.body.server?.deleted], [200, true])
    assert.deepEqual(
      (await at.servers(account)).map(({ name: left, status }) => [left, status]),
      [['another', 'running']],
    )
  })

  test('a refresh requires permission: 403 for viewers, 404 without access', async (context) => {
    const ec2 = await startFakeEc2(context)
    const { id } = await attachOne(ec2)
    const asked = ec2.requests.length
    const stranger = await at.addCaller('project_owner', await at.identities.addProject(newId()))
    assertError(await look(id, await at.addCaller('project_viewer')), 'ForbiddenError')
    assertError(await look(id, stranger), 'ResourceNotFoundError')
    assertError(await look('no such server'), 'ResourceNotFoundError')
    assertError(await look(id.replace(/^.{8}/, '00000000')), 'ResourceNotFoundError')
    assert.equal(ec2.requests.length, asked)
    const told = await eventsOf(`target_id=${id}&action=sync&result=success`)
    assert.equal(told.length, 0)
  })

  test('a refresh without an enabled account is 409', async (context) => {
    const orphan = minimalServer(at.projectId)
    await at.platform.inventory.recordServers({ present: [orphan], gone: [] })
    assertError(await look(orphan.id), 'InvalidStatusError')
    const libvirt = await startFakeLibvirt(context, { domains: [domain(1)] })
    const account = await at.attachLibvirt(libvirt)
    const id = domainServerId(account, uuidOf(1))
    await at.update(account.id, { enabled: false })
    assertError(await look(id), 'InvalidStatusError')
    await at.admin.get('deleteCloudAccount', { path: { id: account.id }, query: 'evict=true' })
    assertError(await look(id), 'InvalidStatusError')
    assert.equal((await eventsOf(`target_id=${id}&action=sync`)).length, 0)
  })

  test('a refresh that cannot be recorded in the audit log is not sent', async (context) => {
    const ec2 = await startFakeEc2(context)
    const { id, set } = await attachOne(ec2)
    set({ state: 'stopped' })
    const takeSnapshot = await createSnapshots(at.database)
    const [snapshot, asked] = [await takeSnapshot(), ec2.requests.length]
    const answer = await ask(at.url, `/servers/${id}/syncstatus`, {
      method: 'POST',
      token: owner.token,
      headers: { 'x-request-id': `${doomed}${newId()}` },
    })
    assertError(answer, 'InternalServerError')
    assert.ok(!answer.text.includes(databaseMessage))
    assert.equal(ec2.requests.length, asked)
    assert.deepEqual(changedTables(snapshot, await takeSnapshot()), [])
  })

  test('a failing source is 502, and 503 after repeated failures', async (context) => {
    const ec2 = await startFakeEc2(context)
    const { account, id } = await attachOne(ec2)
    ec2.misbehave = (_request, response) => refuse(response, 401, 'AuthFailure', 'no such key')
    const broken = assertError(await look(id), 'BadGateway')
    assert.match(broken.details, /key/i)
    assert.equal((await at.server(id))?.status, 'running')
    for (let failure = 1; failure <= 5; failure += 1) {
      const { started_at } = (await at.show(account.id)).sync
      await at.admin.get('syncCloudAccount', { path: { id: account.id } })
      await eventually(`failure ${failure}`, async () => {
        const { sync } = await at.show(account.id)
        return sync.state !== 'running' && sync.started_at !== started_at && sync.error !== ''
      })
    }
    const asked = ec2.requests.length
    const tired = await look(id)
    assertError(tired, 'ServiceUnavailable')
    assert.equal(ec2.requests.length, asked)
    // A complete sync resets the failure count.
    ec2.misbehave = undefined
    await at.sync(account.id)
    assert.equal((await look(id)).status, 200)
  })

  test('the age of the data is reported and does not count as a change', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: some })
    const account = await at.attachLibvirt(libvirt)
    const id = domainServerId(account, uuidOf(1))
    const ageOf = (server: Server | undefined) => server?.metadata['sys:synced_at'] ?? ''
    const isAsOld = (moment: string | null) =>
      eventually('its age shows', async () => ageOf(await at.server(id)) === moment)
    await isAsOld(account.sync.finished_at)
    assert.deepEqual(
      (await at.servers(account)).map(ageOf),
      Array.from({ length: 3 }, () => account.sync.finished_at),
    )
    const { metadata } = await owner.get<{ metadata: Server['metadata'] }>('getServerMetadata', {
      path: { id },
    })
    assert.equal(metadata['sys:synced_at'], account.sync.finished_at)
    const bare = await owner.get<{ servers: object[] }>('listServers', { query: `id=${id}` })
    assert.ok(bare.servers[0] && !('metadata' in bare.servers[0]))

    const before = await at.server(id)
    const takeSnapshot = await createSnapshots(at.database)
    const snapshot = await takeSnapshot()
    // The request is recorded, but changed nothing.
    const { sync } = await at.sync(account.id)
    assert.deepEqual([sync.seen, sync.created, sync.changed, sync.gone], [3, 0, 0, 0])
    assert.deepEqual(changedTables(snapshot, await takeSnapshot()), ['events'])
    const told = await eventsOf('limit=1')
    assert.deepEqual([told[0]?.action, told[0]?.target_id], ['sync', account.id])
    assert.ok((sync.finished_at ?? '') > (account.sync.finished_at ?? ''))
    await isAsOld(sync.finished_at)
    const after = await at.server(id)
    assert.deepEqual(
      { ...after, metadata: {} },
      { ...before, metadata: {} },
      'its version and its time stand',
    )
    assert.equal((await at.history(id)).length, 1)
  })
})
