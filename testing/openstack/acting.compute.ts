import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { openstackActing } from '../../server/src/sources/openstack/openstack-acting.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { actWith, type Acting } from './acting.ts'
import { callNova } from './call-nova.ts'
import { settingsOf } from './plug.ts'
import { startOpenStack, type TestOpenStack } from './start.ts'
import { images } from './world.ts'

void describe('acting on servers of OpenStack: real Nova, fake hypervisor', () => {
  const lifetime = suiteLifetime()
  let openstack: TestOpenStack
  let demo: Acting
  before(async () => {
    openstack = await startOpenStack({ compute: true })
    lifetime.after(() => openstack.stop())
    const project = openstack.keystone.projects['demo'] ?? ''
    demo = actWith(settingsOf(openstack.authUrl, 'demo'), project)
  })

  const nova = <Body>(method: 'GET' | 'POST', path: string, body?: object) =>
    callNova<Body>(openstack, { as: ['demo', 'demo'], method, path, ...(body && { body }) })
  async function boot(name: string): Promise<string> {
    const { server } = await nova<{ server: { id: string } }>('POST', '/servers', {
      server: { name, imageRef: images[0]?.id, flavorRef: '1', networks: 'none' },
    })
    await demo.shows(server.id, { status: 'running' })
    return server.id
  }
  /** What Nova did with a server, the oldest first, and which of it failed. */
  async function historyOf(server: string): Promise<readonly string[]> {
    interface Done {
      readonly action: string
      readonly message: string | null
    }
    const path = `/servers/${server}/os-instance-actions`
    const { instanceActions } = await nova<{ instanceActions: readonly Done[] }>('GET', path)
    return instanceActions
      .map(({ action, message }) => (message === null ? action : `${action}: ${message}`))
      .toReversed()
  }

  void test('every state is reached and shown', async () => {
    const server = await boot('one')
    const reach = async (call: Parameters<Acting['act']>[0], status: string) => {
      const count = (await historyOf(server)).length
      await demo.act(call, server)
      await eventually('Nova has begun', async () => (await historyOf(server)).length > count)
      await demo.shows(server, { status })
    }
    await reach({ kind: 'stop', isForced: false }, 'ready')
    await reach({ kind: 'start' }, 'running')
    await reach({ kind: 'restart', isForced: false }, 'running')
    await reach({ kind: 'reset', isHard: true }, 'running')
    await reach({ kind: 'suspend' }, 'suspend')
    await reach({ kind: 'resume' }, 'running')
    await nova('POST', `/servers/${server}/action`, { pause: null })
    await demo.shows(server, { status: 'suspend' })
    await reach({ kind: 'resume' }, 'running')
    const acted = ['stop', 'start', 'reboot', 'reboot', 'suspend', 'resume', 'pause', 'unpause']
    assert.deepEqual(await historyOf(server), ['create', ...acted])
  })

  for (const isRunning of [false, true]) {
    const settled = isRunning ? 'running' : 'ready'
    void test(`a server that is ${settled} is resized, confirmed, and as before`, async () => {
      const server = await boot('resized')
      if (!isRunning) {
        await demo.act({ kind: 'stop', isForced: true }, server)
        await demo.shows(server, { status: 'ready' })
      }
      await demo.act({ kind: 'resize', size: { instance_type: 'm1.small' } }, server)
      const status = openstackActing.resize?.confirmedStatus ?? ''
      await demo.shows(server, { status, instance_type: 'm1.small' })
      await demo.refuses({ kind: 'start' }, server, 'conflict')
      await demo.act({ kind: 'confirm-resize' }, server)
      await demo.shows(server, { status: settled, instance_type: 'm1.small', vmem_size: 2_048 })
      await demo.refuses({ kind: 'confirm-resize' }, server, 'conflict')
    })
  }

  void test('a resize for which no host has room leaves the server as it was', async () => {
    const flavor = { id: 'huge', name: 'm1.huge', vcpus: 1, ram: 100_000_000, disk: 1 }
    const request = { as: ['admin', 'admin'], method: 'POST', path: '/flavors' } as const
    await callNova(openstack, { ...request, body: { flavor } })
    const server = await boot('large')
    // Nova finds out after it has accepted the request.
    await demo.act({ kind: 'resize', size: { instance_type: 'm1.huge' } }, server)
    await eventually('Nova gave up', async () =>
      (await historyOf(server)).includes('resize: Error'),
    )
    await demo.shows(server, { status: 'running', instance_type: 'm1.tiny' })
  })

  void test('a server is renamed, locked, unlocked and deleted', async () => {
    const server = await boot('old')
    await demo.act({ kind: 'update', changes: { name: 'new', disable_delete: true } }, server)
    await demo.shows(server, { name: 'new', disable_delete: true, status: 'running' })
    const deletion = { kind: 'delete', disks: false, snapshots: false } as const
    assert.match(await demo.refuses(deletion, server, 'conflict'), /locked/)
    await demo.act({ kind: 'update', changes: { disable_delete: false } }, server)
    await demo.act(deletion, server)
    await eventually('gone', async () => (await demo.read(server)) === undefined)
    await demo.refuses(deletion, server, 'not-found')
  })
})
