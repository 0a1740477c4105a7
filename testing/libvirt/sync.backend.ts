import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventDto, Server } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import {
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'

describe('a real libvirtd attached over the API', () => {
  const lifetime = suiteLifetime()
  const lan = randomUUID()
  const place = { folder: '' }
  let libvirt: TestLibvirt
  let muster: Muster
  let operator: Operator
  let account: string
  let guest: string
  before(async () => {
    libvirt = await startLibvirt()
    place.folder = temporaryFolder(lifetime)
    muster = await startOperatedMuster(lifetime, place)
    operator = operate(muster, await loginAdmin(muster.authUrl))
    guest = await libvirt.boot({ name: 'web' })
    await libvirt.defineNetwork(
      `<network><name>lan</name><uuid>${lan}</uuid><bridge name='mustertest1'/>
        <ip address='192.168.78.1' prefix='24'/></network>`,
    )
    await libvirt.define(plain('drawer'))
    account = await operator.attach({ provider: 'OneCloud', address: libvirt.address })
    await operator.finished(account)
  })
  after(() => libvirt.stop())

  /** A guest that is defined but never started. */
  const plain = (name: string, uuid: string = randomUUID()) =>
    `<domain type='qemu'><name>${name}</name><uuid>${uuid}</uuid><memory unit='MiB'>32</memory>
      <os><type arch='x86_64' machine='pc'>hvm</type></os>
      <devices><interface type='network'><source network='lan'/></interface></devices></domain>`

  const shows = (isShown: (servers: readonly Server[]) => boolean, change = '') =>
    eventually(`the change is visible: ${change}`, async () => isShown(await operator.servers()), {
      deadline: 40,
    })
  const has = (name: string, status: string) => (servers: readonly Server[]) =>
    servers.some((server) => server.name === name && server.status === status)
  const summary = async () =>
    (await operator.servers()).map(({ id, name, status }) => `${name} ${status} ${id}`)

  test('shows its guests', async () => {
    const { status, sync } = await operator.show(account)
    assert.deepEqual([status, sync.error], ['connected', ''])
    assert.deepEqual(
      (await operator.servers()).map(({ name, status: state }) => [name, state]),
      [
        ['drawer', 'ready'],
        ['web', 'running'],
      ],
    )
  })

  test('shows its host, its networks and its manager', async () => {
    const [host, ...otherHosts] = await operator.list('hosts')
    assert.deepEqual(
      [host?.id, host?.name, host?.status, host?.provider, host?.account_id, host?.guests],
      [
        libvirt.hostUuid,
        (await libvirt.virsh('hostname')).trim(),
        'running',
        'OneCloud',
        account,
        2,
      ],
    )
    assert.ok((host?.cpu_count ?? 0) > 0 && (host?.mem_size ?? 0) > 0 && host?.version !== '')
    assert.deepEqual(
      (await operator.list('networks')).map((network) => [
        network.id,
        network.name,
        network.status,
        `${network.guest_ip_start}-${network.guest_ip_end}/${network.guest_ip_mask}`,
        network.guest_count,
      ]),
      [[lan, 'lan', 'down', '192.168.78.2-192.168.78.254/24', 1]],
    )
    const [manager, ...otherManagers] = await operator.list('cloudproviders')
    assert.deepEqual(
      [manager?.cloudaccount_id, manager?.status, manager?.guest_count],
      [account, 'connected', 2],
    )
    assert.deepEqual([otherHosts, otherManagers], [[], []])
    assert.deepEqual([await operator.list('cloudregions'), await operator.list('zones')], [[], []])
  })

  test('shows each change by events, before the next scan', async () => {
    const { id = '' } = (await operator.servers()).find(({ name }) => name === 'web') ?? {}
    const uuid = randomUUID()
    const { virsh } = libvirt
    const steps: readonly (readonly [
      string,
      () => Promise<unknown>,
      (servers: readonly Server[]) => boolean,
    ])[] = [
      ['suspended', () => virsh('suspend', guest), has('web', 'suspend')],
      ['resumed', () => virsh('resume', guest), has('web', 'running')],
      ['stopped', () => virsh('destroy', guest), has('web', 'ready')],
      ['renamed', () => virsh('domrename', 'web', 'shop'), has('shop', 'ready')],
      ['started', () => virsh('start', guest), has('shop', 'running')],
      ['defined', () => libvirt.define(plain('fresh', uuid)), has('fresh', 'ready')],
      [
        'undefined',
        () => virsh('undefine', uuid),
        (servers) => servers.every(({ name }) => name !== 'fresh'),
      ],
    ]
    for (const [what, work, isShown] of steps) {
      await work()
      await shows(isShown, what)
    }
    const shop = (await operator.servers()).find(({ name }) => name === 'shop')
    assert.equal(shop?.id, id, 'the server keeps its id')
    const { events } = await operator.request<{ events: EventDto[] }>(`/servers/${id}/history`)
    assert.ok(events.length >= 6 && events.some(({ action }) => action === 'create'))
  })

  test('keeps its servers while the daemon is down, reports the error, and syncs again when it is back', async (t) => {
    const before = await summary()
    // One sync after the other, so that it dies in the middle of one.
    const syncs = Array.from({ length: 5 }, () =>
      operator.request(`/cloudaccounts/${account}/sync`, 'POST'),
    )
    await pause(20)
    await libvirt.kill()
    await Promise.all(syncs)
    const isStatus = (wanted: string) => async () =>
      (await operator.show(account)).status === wanted
    await eventually('the account is disconnected', isStatus('disconnected'))
    const { sync } = await operator.show(account)
    t.diagnostic(sync.error)
    assert.match(sync.error, /cannot be opened|closed|in the middle/)
    assert.deepEqual(await summary(), before)

    await libvirt.restart()
    await eventually('the account is connected again', isStatus('connected'), { deadline: 40 })
    assert.deepEqual(await summary(), before)
    await libvirt.virsh('suspend', guest)
    await shows(has('shop', 'suspend'))
    await libvirt.virsh('resume', guest)
    await shows(has('shop', 'running'))
  })

  test('is synced again after a restart of Muster, with the changes since it stopped', async () => {
    const before = (await operator.servers()).map(({ id }) => id)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await muster.end(signal)
      await libvirt.virsh(signal === 'SIGTERM' ? 'suspend' : 'resume', guest)
      muster = await startOperatedMuster(lifetime, place)
      operator = operate(muster, await loginAdmin(muster.authUrl))
      await shows(has('shop', signal === 'SIGTERM' ? 'suspend' : 'running'))
      assert.deepEqual(
        (await operator.servers()).map(({ id }) => id),
        before,
      )
    }
  })
})
