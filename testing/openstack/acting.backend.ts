import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { SourceCall } from '../../server/src/domain/sources/action-port.ts'
import { openstackActing } from '../../server/src/sources/openstack/openstack-acting.ts'
import {
  startFaultProxy,
  type FaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { actWith, type Acting } from './acting.ts'
import { callNova } from './call-nova.ts'
import { createPlug, settingsOf } from './plug.ts'
import { startOpenStack, type TestOpenStack } from './start.ts'

const stop: SourceCall = { kind: 'stop', isForced: false }
const start: SourceCall = { kind: 'start' }
const resizeTo = (instance_type: string): SourceCall => ({
  kind: 'resize',
  size: { instance_type },
})
const deletion = (disks: boolean): SourceCall => ({ kind: 'delete', disks, snapshots: false })

/** Nova takes the requests, but no compute service carries them out: states stay transitional. */
describe('acting on servers of OpenStack: Nova without a compute service', () => {
  const lifetime = suiteLifetime()
  let openstack: TestOpenStack
  let demo: Acting
  /** With the role and the rules of the documentation. */
  let operator: Acting
  let proxy: FaultProxy
  let proxied: Acting
  before(async () => {
    openstack = await startOpenStack()
    const project = openstack.keystone.projects['demo'] ?? ''
    demo = actWith(settingsOf(openstack.authUrl, 'demo'), project)
    const [, , policy] = openstackActing.rights
    writeFileSync(join(openstack.folder, 'policy.d/operator.yaml'), policy?.text ?? '')
    await openstack.keystone.addRole('server_operator', 'reader')
    operator = await addUser('operator', 'server_operator')
    const paging = { prepare: async () => {}, count: 0 } as never
    const plug = createPlug(openstack, paging)
    proxy = await startFaultProxy(lifetime, plug)
    proxied = actWith(plug.settingsAt(proxy.url), project)
  })
  after(() => openstack.stop())

  async function addUser(name: string, role: string): Promise<Acting> {
    const { keystone, authUrl } = openstack
    await keystone.assign(role, await keystone.addUser(name), 'OS-INHERIT/domains/default')
    return actWith(settingsOf(authUrl, name), keystone.projects['demo'] ?? '')
  }

  /** Nova's own API, as its administrator. */
  const nova = <Body>(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object) =>
    callNova<Body>(openstack, { as: ['admin', 'admin'], method, path, ...(body && { body }) })
  const taskOf = async (server: string) =>
    (await nova<{ server: Record<string, unknown> }>('GET', `/servers/${server}`)).server[
      'OS-EXT-STS:task_state'
    ]

  const cases: readonly (readonly [string, string, SourceCall, string, string])[] = [
    ['start', 'stopped', start, 'powering-on', 'starting'],
    ['start as unshelve', 'shelved', start, 'unshelving', 'starting'],
    ['stop', 'active', stop, 'powering-off', 'stopping'],
    ['restart', 'active', { kind: 'restart', isForced: false }, 'rebooting', 'starting'],
    ['forced restart', 'active', { kind: 'restart', isForced: true }, 'rebooting_hard', 'starting'],
    ['reset', 'active', { kind: 'reset', isHard: false }, 'rebooting_hard', 'starting'],
    ['suspend', 'active', { kind: 'suspend' }, 'suspending', 'suspending'],
    ['resume', 'suspended', { kind: 'resume' }, 'resuming', 'resuming'],
    ['resume as unpause', 'paused', { kind: 'resume' }, 'unpausing', 'resuming'],
    ['resize', 'stopped', resizeTo('m1.medium'), 'resize_prep', 'change_flavor'],
    ['delete', 'active', deletion(false), 'deleting', 'deleting'],
  ]
  for (const [what, vm_state, call, task, status] of cases) {
    test(`${what}, of a server that is ${vm_state}`, async () => {
      const server = await openstack.add({ name: 'one', vm_state })
      await operator.act(call, server)
      assert.equal(await taskOf(server), task)
      await operator.shows(server, { status })
    })
  }

  test('a server that Nova already stops is not stopped again, but waited for', async () => {
    const server = await openstack.add({ name: 'one' })
    await demo.act(stop, server)
    await demo.refuses(stop, server, 'conflict')
    await demo.act({ kind: 'stop', isForced: true }, server)
    await demo.shows(server, { status: 'stopping' })
  })

  test('a deleted server is not found', async () => {
    const server = await openstack.add({ name: 'gone' })
    await openstack.order('delete', { server })
    await demo.refuses(start, server, 'not-found')
    await demo.refuses(start, randomUUID(), 'not-found')
  })

  test('renames, locks and unlocks', async () => {
    const server = await openstack.add({ name: 'old' })
    await operator.act({ kind: 'update', changes: { name: 'new', disable_delete: true } }, server)
    await demo.shows(server, { name: 'new', disable_delete: true })
    assert.match(await demo.refuses(stop, server, 'conflict'), /locked.*openstack server unlock/)
    assert.match(await demo.refuses(deletion(false), server, 'conflict'), /locked/)
    await operator.act(
      { kind: 'update', changes: { name: 'newer', disable_delete: false } },
      server,
    )
    await demo.shows(server, { name: 'newer', disable_delete: false })
    await demo.act(stop, server)
  })

  test('an administrator acts on the servers of all projects', async () => {
    const server = await openstack.add({ name: 'ours', project: 'ops' })
    const ops = openstack.keystone.projects['ops'] ?? ''
    const admin = actWith(settingsOf(openstack.authUrl, 'admin', { project: 'admin' }), ops)
    await admin.act(stop, server)
    await admin.shows(server, { status: 'stopping' })
  })

  describe('errors', () => {
    test('a wrong state is a conflict, with the words of Nova', async () => {
      const server = await openstack.add({ name: 'one', vm_state: 'stopped' })
      assert.match(await demo.refuses(stop, server, 'conflict'), /vm_state stopped/)
      await operator.refuses({ kind: 'confirm-resize' }, server, 'conflict')
      const resized = await openstack.add({ name: 'resized', vm_state: 'resized' })
      await demo.shows(resized, { status: openstackActing.resize?.confirmedStatus ?? '' })
      assert.match(await demo.refuses(stop, resized, 'conflict'), /vm_state resized/)
      await operator.refuses({ kind: 'confirm-resize' }, resized, 'conflict')
      const busy = await openstack.add({ name: 'busy', task_state: 'rebooting' })
      assert.match(await demo.refuses({ kind: 'suspend' }, busy, 'conflict'), /task_state/)
    })

    test('a size without a flavor, or with an unknown one, is unsupported', async () => {
      const server = await openstack.add({ name: 'one' })
      const size = { vcpu_count: 2, vmem_size: 4_096 }
      assert.match(await demo.refuses({ kind: 'resize', size }, server, 'unsupported'), /flavor/)
      assert.match(await demo.refuses(resizeTo('m9.none'), server, 'unsupported'), /m9\.none/)
      assert.match(await demo.refuses(resizeTo('3'), server, 'unsupported'), /m1\.medium/)
      await demo.refuses(resizeTo('m1.small'), server, 'failed')
      await demo.shows(server, { status: 'running' })
    })

    test('a name that Nova does not accept has failed', async () => {
      const server = await openstack.add({ name: 'one' })
      const changes = { name: 'x'.repeat(300) }
      assert.match(await demo.refuses({ kind: 'update', changes }, server, 'failed'), /name/)
    })

    test('a quota is told from a missing permission', async (context) => {
      const path = `/os-quota-sets/${openstack.keystone.projects['demo']}`
      await nova('PUT', path, { quota_set: { cores: 1, force: true } })
      context.after(() => nova('DELETE', path))
      const server = await openstack.add({ name: 'one' })
      assert.match(await demo.refuses(resizeTo('g1.large'), server, 'quota'), /[Qq]uota/)
    })

    test('nothing was sent if the login fails, or nothing listens', async () => {
      const server = await openstack.add({ name: 'one' })
      const tenant = openstack.keystone.projects['demo'] ?? ''
      const wrong = {
        ...settingsOf(openstack.authUrl, 'demo'),
        credentials: { username: 'demo', password: 'no' },
      }
      await actWith(wrong, tenant).refuses(stop, server, 'source: credentials')
      const away = settingsOf('http://127.0.0.1:1/v3', 'demo')
      await actWith(away, tenant).refuses(stop, server, 'source: unreachable')
    })
  })

  describe('a connection that fails', () => {
    const isAction = ({ path }: ProxiedRequest) => path.endsWith('/action')
    const countActions = () => proxy.requests.filter(isAction).length

    /** Injects a fault into the next action, and counts the actions that were sent. */
    async function sentDuring(
      fault: Parameters<FaultProxy['inject']>[0],
      use: () => Promise<unknown>,
    ) {
      const count = countActions()
      proxy.inject(fault, isAction, 1)
      try {
        await use()
      } finally {
        proxy.clear()
        proxy.connection.restore()
      }
      return countActions() - count
    }

    test('after Nova has taken the request leaves the outcome unknown', async () => {
      const server = await openstack.add({ name: 'one' })
      const cut = (body: string) => {
        proxy.connection.cut()
        return body
      }
      const count = await sentDuring({ change: cut }, async () => {
        const message = await proxied.refuses(stop, server, 'outcome-unknown')
        assert.match(message, /no usable answer to the request to stop a server/)
      })
      assert.equal(count, 1)
      await demo.shows(server, { status: 'stopping' })
    })

    test('while Nova is silent leaves the outcome unknown', async () => {
      const server = await openstack.add({ name: 'one' })
      const waiting = new AbortController()
      proxy.onRequest = (request) => isAction(request) && waiting.abort()
      const count = await sentDuring('hang', () =>
        proxied.refuses(stop, server, 'outcome-unknown', waiting.signal),
      )
      proxy.onRequest = undefined
      assert.equal(count, 1)
    })

    for (const status of [500, 502, 503]) {
      test(`with status ${status} leaves the outcome unknown, and is not retried`, async () => {
        const server = await openstack.add({ name: 'one' })
        const count = await sentDuring({ status }, () =>
          proxied.refuses(stop, server, 'outcome-unknown'),
        )
        assert.equal(count, 1)
      })
    }

    test('with a 404 of a proxy does not say that the server is gone', async () => {
      const server = await openstack.add({ name: 'one' })
      await sentDuring({ status: 404, body: 'no route' }, () =>
        proxied.refuses(stop, server, 'failed'),
      )
    })

    for (const status of [401, 429]) {
      test(`with status ${status} has changed nothing, and is sent once`, async () => {
        const server = await openstack.add({ name: 'one' })
        const kind = status === 401 ? 'denied' : 'failed'
        const count = await sentDuring({ status }, () => proxied.refuses(stop, server, kind))
        assert.equal(count, 1)
        await demo.shows(server, { status: 'running' })
      })
    }
  })

  describe('volumes', () => {
    interface Attachment {
      readonly id: string
      readonly delete_on_termination: boolean
    }
    /** Which volumes Nova deletes with a server, in the order in which they were added. */
    async function marksOf(server: string) {
      const { server: shown } = await nova<{ server: Record<string, readonly Attachment[]> }>(
        'GET',
        `/servers/${server}`,
      )
      const marks = shown['os-extended-volumes:volumes_attached'] ?? []
      const byId = new Map(marks.map((each) => [each.id, each.delete_on_termination]))
      const own = [...openstack.stubs.volumes.values()].filter(({ id }) => byId.has(id))
      return own.map(({ id }) => byId.get(id))
    }
    const addServer = (...more: object[]) =>
      openstack.add({
        name: 'disks',
        boots_from_volume: true,
        volumes: [{ name: 'boot' }, { name: 'data' }, ...more],
      })

    test('are kept unless their deletion is asked for', async () => {
      const server = await addServer()
      assert.deepEqual(await marksOf(server), [true, false])
      await operator.act(deletion(false), server)
      assert.deepEqual(await marksOf(server), [false, false])
    })

    test('are deleted if only this server uses them', async () => {
      const server = await addServer(
        { name: 'shared', multiattach: true },
        { name: 'read-only', metadata: { readonly: 'True' } },
        { name: 'elsewhere' },
      )
      const elsewhere = [...openstack.stubs.volumes.values()].at(-1)
      assert.ok(elsewhere)
      const attachments = [
        ...elsewhere.attachments,
        { server_id: randomUUID(), device: '/dev/vdb' },
      ]
      openstack.stubs.volumes.set(elsewhere.id, { ...elsewhere, attachments })
      await demo.act(deletion(true), server)
      assert.deepEqual(await marksOf(server), [true, true, false, false, false])
    })

    test('are not deleted if Cinder does not say who uses them', async (context) => {
      const server = await addServer()
      openstack.stubs.failing.set('volume', 500)
      context.after(() => openstack.stubs.failing.clear())
      assert.match(await demo.refuses(deletion(true), server, 'failed'), /another server/)
      assert.deepEqual(await marksOf(server), [true, false])
    })

    test('of an old Nova, which cannot keep them, prevent the deletion', async () => {
      const server = await addServer()
      const isVersion = ({ path }: ProxiedRequest) => path === '/v2.1/'
      proxy.inject({ change: (body) => body.replaceAll('2.93', '2.84') }, isVersion)
      try {
        assert.match(await proxied.refuses(deletion(false), server, 'unsupported'), /Ussuri/)
      } finally {
        proxy.clear()
      }
      assert.deepEqual(await marksOf(server), [true, false])
    })
  })

  test('the role member acts, and the role reader is denied', async () => {
    const server = await openstack.add({ name: 'one' })
    const viewer = await addUser('viewer', 'reader')
    assert.match(await viewer.refuses(stop, server, 'denied'), /not allowed to stop a server/)
    await viewer.refuses(deletion(false), server, 'denied')
    await viewer.shows(server, { status: 'running' })
    await (await addUser('worker', 'member')).act(stop, server)
  })
})
