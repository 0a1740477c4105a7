import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { CloudAccount } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { procedures } from '../../sources/libvirt/protocol.ts'
import {
  domainServerId,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import type { Engine } from '../../testing/engines.ts'
import { refuse, startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { domain, some, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'

/** Each test has its own sources and accounts and mostly waits, so they run concurrently. */
const suite = (engine: Engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    at = await startAttached(lifetime, engine)
  })

  const tag = (id: string) =>
    at.admin.get('mergeServerMetadata', { path: { id }, body: { metadata: { mine: 'kept' } } })
  const tagOf = async (id: string) => (await at.server(id))?.metadata['user:mine']
  const idsOf = async (account: CloudAccount, query?: string) =>
    (await at.servers(account, query)).map(({ id }) => id)
  const holderOf = async (id: string) => (await at.server(id))?.account_id
  const evict = async ({ id }: CloudAccount) => {
    const answer = await at.admin.call('deleteCloudAccount', {
      path: { id },
      query: 'evict=true',
    })
    assert.equal(answer.status, 204, answer.text)
  }
  /** Whether the server is listed: a deleted one is not. */
  const isListed = async (id: string) =>
    (await at.admin.get<{ total: number }>('listServers', { query: `scope=system&id=${id}` }))
      .total === 1

  /** Two instances in a separate AWS account. */
  async function fillEc2(ec2: FakeEc2) {
    const owner = newId()
    ec2.instances.set('i-1', { name: 'one', owner })
    ec2.instances.set('i-2', { name: 'two', owner })
  }

  for (const kind of ['libvirt', 'EC2'] as const) {
    test(`servers of an unreachable source become unknown and recover (${kind})`, async (context) => {
      const libvirt = await startFakeLibvirt(context, { domains: [domain(1), domain(2)] })
      const ec2 = await startFakeEc2(context)
      await fillEc2(ec2)
      const period = { period: 5 }
      const account =
        kind === 'EC2' ? await at.attachEc2(ec2, period) : await at.attachLibvirt(libvirt, period)
      const earlier = await at.servers(account)
      assert.deepEqual(
        earlier.map((server) => [server.status, server.host_service_status]),
        [
          ['running', 'online'],
          ['running', 'online'],
        ],
      )
      const [first] = earlier
      assert.ok(first)
      await tag(first.id)

      ec2.misbehave = (_request, response) => refuse(response, 503, 'Unavailable')
      libvirt.faults.set(procedures.connectOpen, 'closed')
      libvirt.drop()
      await at.admin.get('syncCloudAccount', { path: { id: account.id } })
      await eventually('it is noticed', async () => {
        const { status, sync } = await at.show(account.id)
        return status === 'disconnected' && sync.error !== ''
      })
      // One failure does not make the servers unknown.
      assert.ok((await at.servers(account)).every(({ status }) => status === 'running'))
      await eventually('it is lost', async () => (await at.show(account.id)).status === 'lost', {
        deadline: 60,
      })
      const lost = await at.servers(account)
      assert.deepEqual(
        lost.map((server) => [server.id, server.status, server.host_service_status]),
        earlier.map(({ id }) => [id, 'unknown', 'offline']),
      )
      assert.equal((await idsOf(account, 'status=unknown')).length, 2)

      ec2.misbehave = undefined
      libvirt.faults.clear()
      await at.admin.get('syncCloudAccount', { path: { id: account.id } })
      await eventually('it is back', async () => (await at.show(account.id)).status === 'connected')
      const found = await at.servers(account)
      assert.deepEqual(
        found.map((server) => [server.id, server.status, server.host_service_status]),
        earlier.map(({ id }) => [id, 'running', 'online']),
      )
      assert.equal(await tagOf(first.id), 'kept')
      const history = await at.history(first.id)
      assert.deepEqual(
        history
          .filter(({ user_id }) => user_id === '')
          .map(({ action, changes }) => [
            action,
            Object.keys(changes).length > 2 ? 'all' : changes,
          ]),
        [
          [
            'update',
            { host_service_status: ['offline', 'online'], status: ['unknown', 'running'] },
          ],
          [
            'update',
            { host_service_status: ['online', 'offline'], status: ['running', 'unknown'] },
          ],
          ['create', 'all'],
        ],
      )
      await evict(account)
    })
  }

  test('a guest that migrates to another host stays the same server', async (context) => {
    const [there, here] = [
      await startFakeLibvirt(context, { domains: some, host: { uuid: uuidOf(901) } }),
      await startFakeLibvirt(context, { domains: [domain(7)], host: { uuid: uuidOf(902) } }),
    ]
    const options = { group: newId() }
    const from = await at.attachLibvirt(there, { options })
    const to = await at.attachLibvirt(here, { options })
    const guest = domain(1)
    const id = domainServerId(from, guest.uuid)
    await tag(id)

    // It is visible at every moment.
    const arrival = new AbortController()
    let looks = 0
    const looking = (async () => {
      while (!arrival.signal.aborted) {
        assert.ok(await isListed(id), 'it is not listed for a moment')
        looks += 1
        await pause(10)
      }
    })()
    here.domains.set(guest.uuid, guest)
    here.sendEvent(guest)
    await eventually('both see it', async () => (await at.show(to.id)).servers === 2)
    assert.equal(await holderOf(id), from.id)
    there.domains.delete(guest.uuid)
    there.sendEvent(guest)
    await eventually('it has changed hands', async () => (await holderOf(id)) === to.id)
    // It changes hands at once, and the next scan of the other account reports the rest.
    await eventually('its host', async () => (await at.server(id))?.host_id === uuidOf(902))
    arrival.abort()
    await looking
    assert.ok(looks > 3)
    assert.equal(await tagOf(id), 'kept')
    const events = (await at.history(id)).slice(0, 2)
    assert.ok(events.every(({ action }) => action === 'update'))
    const changes = Object.assign({}, ...events.map((event) => event.changes))
    assert.deepEqual(changes['host_id'], [uuidOf(901), uuidOf(902)])
    assert.deepEqual(changes['account'], [from.name, to.name])

    // And back, where the old host reports first.
    here.domains.delete(guest.uuid)
    here.sendEvent(guest)
    await eventually('it is gone', async () => !(await isListed(id)))
    there.domains.set(guest.uuid, guest)
    there.sendEvent(guest)
    await eventually('it is found', () => isListed(id))
    assert.deepEqual([await holderOf(id), await tagOf(id)], [from.id, 'kept'])
    assert.equal((await at.history(id))[0]?.action, 'restore')
  })

  test('a guest whose hosts report its migration concurrently is not lost', async (context) => {
    const hosts = [
      await startFakeLibvirt(context, { domains: [domain(1), domain(8)] }),
      await startFakeLibvirt(context, { domains: [domain(9)] }),
    ] as const
    const options = { group: newId() }
    const first = await at.attachLibvirt(hosts[0], { options })
    const accounts = [first, await at.attachLibvirt(hosts[1], { options })] as const
    const guest = domain(1)
    const id = domainServerId(first, guest.uuid)
    for (let turn = 0; turn < 8; turn += 1) {
      const [from, to] = turn % 2 === 0 ? hosts : hosts.toReversed()
      from?.domains.delete(guest.uuid)
      to?.domains.set(guest.uuid, guest)
      from?.sendEvent(guest)
      to?.sendEvent(guest)
      const account = accounts[(turn + 1) % 2]?.id
      await eventually(`turn ${turn}: it is where it went`, async () => {
        const server = await at.server(id)
        return server?.deleted === false && server.account_id === account
      })
    }
  })

  test('a server seen through two accounts is one server of the account attached first', async (context) => {
    const ec2 = await startFakeEc2(context)
    await fillEc2(ec2)
    const first = await at.attachEc2(ec2)
    const ids = await idsOf(first)
    const [one = '', two = ''] = ids
    await tag(one)
    const second = await at.attachEc2(ec2)
    assert.deepEqual([second.sync.seen, second.sync.created, second.servers], [2, 0, 2])
    assert.deepEqual([await idsOf(first), await idsOf(second)], [ids, []])
    // Further syncs of either account change nothing.
    await at.sync(second.id)
    await at.sync(first.id)
    assert.equal((await at.history(two)).length, 1)
    assert.equal((await at.server(two))?.update_version, 0)

    await evict(first)
    await eventually('the other has them', async () => (await idsOf(second)).length === 2)
    assert.deepEqual(await idsOf(second), ids)
    assert.equal(await tagOf(one), 'kept')
    const history = await at.history(two)
    const moved = history.find(({ changes }) => changes['account'] !== undefined)
    assert.deepEqual(
      [moved?.action, moved?.changes['account']],
      ['update', [first.name, second.name]],
    )

    // An account attached later does not take them back.
    const third = await at.attachEc2(ec2)
    assert.deepEqual([third.servers, await idsOf(third)], [2, []])
    await evict(third)
    assert.deepEqual(await idsOf(second), ids)
    await evict(second)
    assert.deepEqual([await isListed(one), await isListed(two)], [false, false])
  })

  test('moves to the other account when the first no longer sees it', async (context) => {
    const ec2 = await startFakeEc2(context)
    ec2.regions = ['eu-west-1', 'us-east-1']
    await fillEc2(ec2)
    const first = await at.attachEc2(ec2)
    const second = await at.attachEc2(ec2)
    const ids = await idsOf(first)
    await at.update(first.id, { options: { regions: ['us-east-1'] } })
    await at.sync(first.id)
    assert.deepEqual([await idsOf(first), await idsOf(second)], [ids, []])
    await at.admin.get('confirmGoneServers', { path: { id: first.id } })
    await eventually('the other has them', async () => (await idsOf(second)).length === 2)
    assert.deepEqual([await idsOf(first), await idsOf(second)], [[], ids])
    assert.equal((await at.show(first.id)).servers, 0)
  })

  test('is deleted when neither account sees it any more', async (context) => {
    const ec2 = await startFakeEc2(context)
    await fillEc2(ec2)
    ec2.instances.set('i-3', { name: 'three', owner: ec2.instances.get('i-1')?.owner ?? '' })
    const first = await at.attachEc2(ec2)
    const second = await at.attachEc2(ec2)
    const [, id = ''] = await idsOf(first)
    ec2.instances.delete('i-3')
    // The owning account is synced first, then the other.
    await at.sync(first.id)
    await at.sync(second.id)
    await eventually('it is gone', async () => !(await isListed(id)))
    assert.equal((await idsOf(first)).length, 2)
  })

  test('is deleted when both accounts miss it concurrently', async (context) => {
    const ec2 = await startFakeEc2(context)
    const owner = newId()
    for (let index = 0; index < 12; index += 1) {
      ec2.instances.set(`i-${index}`, { name: `${index}`, owner })
    }
    const [one, other] = [await at.attachEc2(ec2), await at.attachEc2(ec2)]
    for (let index = 0; index < 6; index += 1) {
      ec2.instances.delete(`i-${index}`)
      await Promise.all([at.sync(one.id), at.sync(other.id)])
    }
    await eventually('six are left', async () => {
      // A scan that could not confirm a deletion on a busy machine leaves it to the next ones.
      await Promise.all([at.sync(one.id), at.sync(other.id)])
      const left = [...(await idsOf(one)), ...(await idsOf(other))]
      return left.length === 6
    })
  })

  test('is deleted with the last account that saw it, also when they are deleted in quick succession', async (context) => {
    const ec2 = await startFakeEc2(context)
    await fillEc2(ec2)
    const first = await at.attachEc2(ec2)
    const second = await at.attachEc2(ec2)
    const [id = ''] = await idsOf(first)
    // The second account is disabled, so it cannot take over the servers.
    await at.update(second.id, { enabled: false })
    await evict(first)
    await evict(second)
    await eventually('it is gone', async () => !(await isListed(id)))
  })

  test('two guests of the same name are two servers', async (context) => {
    const libvirt = await startFakeLibvirt(context, {
      domains: [domain(1, { name: 'twin' }), domain(2, { name: 'twin' })],
    })
    const ec2 = await startFakeEc2(context)
    ec2.instances.set('i-1', { name: 'twin', owner: newId() })
    const accounts = [await at.attachLibvirt(libvirt), await at.attachEc2(ec2)]
    const ids = (await Promise.all(accounts.map((account) => idsOf(account)))).flat()
    assert.equal(new Set(ids).size, 3)
    const body = await at.admin.fail('ConflictError', 'getServer', { path: { id: 'twin' } })
    for (const id of ids) assert.ok(body.details.includes(id))
    // The same UUID in another host group is another server, too.
    const elsewhere = await at.attachLibvirt(libvirt)
    assert.equal(new Set([...ids, ...(await idsOf(elsewhere))]).size, 5)
  })

  test('a source restored from a backup creates no duplicates', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: some })
    const account = await at.attachLibvirt(libvirt)
    const ids = await idsOf(account)
    await tag(ids[0] ?? '')
    for (const guest of some) {
      libvirt.domains.delete(guest.uuid)
      libvirt.sendEvent(guest)
    }
    await eventually('all are gone', async () => (await idsOf(account)).length === 0)
    assert.deepEqual((await idsOf(account, 'deleted=true')).sort(), ids.toSorted())
    for (const guest of some) libvirt.domains.set(guest.uuid, guest)
    const { sync } = await at.sync(account.id)
    assert.deepEqual([sync.seen, sync.created, sync.gone], [3, 3, 0])
    assert.deepEqual(await idsOf(account), ids)
    assert.deepEqual(await idsOf(account, 'deleted=true'), [])
    assert.equal(await tagOf(ids[0] ?? ''), 'kept')

    // Restored elsewhere, next to the old one: still the same servers.
    const copy = await startFakeLibvirt(context, { domains: some, host: { uuid: uuidOf(903) } })
    const beside = await at.attachLibvirt(copy, { options: account.options })
    assert.deepEqual([beside.sync.seen, beside.sync.created], [3, 0])
    await evict(account)
    await eventually('the copy has them', async () => (await idsOf(beside)).length === 3)
    assert.deepEqual(await idsOf(beside), ids)
  })
}

onPostgresFirst('unreachable sources and moving servers', suite, { concurrency: 4 })
