import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { openVcsimClient } from './vcsim-client.ts'
import { startVcsim, type TestVcsim } from './start.ts'

const uuid = '0a3bfa0e-6c0c-4c57-8d0f-0e4f6f5a7f31'

describe('vcsim, a simulator of vSphere, attached over the API', () => {
  const lifetime = suiteLifetime()
  let vcsim: TestVcsim
  let client: Awaited<ReturnType<typeof openVcsimClient>>
  let operator: Operator
  let account: string
  let web: string
  before(async () => {
    vcsim = await startVcsim({ pools: 1, uuid })
    client = await openVcsimClient(vcsim)
    web = await client.create('web')
    const muster = await startOperatedMuster(lifetime, { folder: temporaryFolder(lifetime) })
    operator = operate(muster, await loginAdmin(muster.authUrl))
    // Scans are so far apart that only events can show a change in time.
    const { address, credentials, options } = vcsim.settings
    const settings = { provider: 'VMware', address, credentials, options, period: 3_600 }
    account = await operator.attach(settings)
    await operator.finished(account)
  })
  after(() => vcsim.stop())

  const shows = (isShown: (servers: readonly Server[]) => boolean, change: string) =>
    eventually(`the change is visible: ${change}`, async () => isShown(await operator.servers()), {
      deadline: 10,
    })
  const has = (name: string, status: string) => (servers: readonly Server[]) =>
    servers.some((server) => server.name === name && server.status === status)
  const summary = async () =>
    (await operator.servers()).map(({ id, name, status }) => `${name} ${status} ${id}`)

  test('shows its virtual machines, hosts, networks, regions and zones', async () => {
    const { status, sync } = await operator.show(account)
    assert.deepEqual([status, sync.error], ['connected', ''])
    assert.deepEqual(
      (await operator.servers()).map(({ name, status: state }) => `${name} ${state}`),
      ['DC0_C0_RP1_VM0', 'DC0_C0_RP1_VM1', 'DC0_H0_VM0', 'DC0_H0_VM1', 'web'].map(
        (name) => `${name} running`,
      ),
    )
    const named = async (keys: 'hosts' | 'networks' | 'cloudregions' | 'zones') =>
      (await operator.list(keys)).map(({ name }) => name)
    assert.deepEqual(await named('cloudregions'), ['DC0'])
    assert.deepEqual(await named('zones'), ['DC0_C0', 'DC0_H0'])
    assert.deepEqual(await named('hosts'), ['DC0_C0_H0', 'DC0_C0_H1', 'DC0_C0_H2', 'DC0_H0'])
    assert.ok((await named('networks')).includes('VM Network'))
    const managers = (await operator.list('cloudproviders')).map((one) => one.guest_count)
    assert.equal(
      managers.reduce((sum, count) => sum + count, 0),
      5,
    )
  })

  /** Each change, and how it is seen. */
  async function requireChanges(name: string): Promise<void> {
    let fresh = ''
    const describeAs = (value: string) =>
      client.reconfigure(web, `<annotation>${value}</annotation>`)
    const steps: readonly (readonly [
      string,
      () => Promise<unknown>,
      (servers: readonly Server[]) => boolean,
    ])[] = [
      ['stopped', () => client.stop(web), has(name, 'ready')],
      ['renamed', () => client.rename(web, `${name}-2`), has(`${name}-2`, 'ready')],
      ['started', () => client.start(web), has(`${name}-2`, 'running')],
      [
        'described',
        () => describeAs(`text of ${name}`),
        (servers) => servers.some(({ description }) => description === `text of ${name}`),
      ],
      [
        'created',
        async () => (fresh = await client.create(`fresh-${name}`)),
        has(`fresh-${name}`, 'running'),
      ],
      [
        'removed',
        () => client.remove(fresh),
        (servers) => servers.every((server) => server.name !== `fresh-${name}`),
      ],
    ]
    for (const [what, work, isShown] of steps) {
      await work()
      await shows(isShown, what)
    }
  }

  test('shows each change by events', async (context) => {
    const { id } = (await operator.servers()).find(({ name }) => name === 'web') ?? {}
    const start = performance.now()
    await requireChanges('web')
    const seconds = (performance.now() - start) / 1_000
    context.diagnostic(`vSphere: six changes were visible in ${seconds.toFixed(1)} s`)
    const renamed = (await operator.servers()).find(({ name }) => name === 'web-2')
    assert.equal(renamed?.id, id, 'the server keeps its id')
  })

  test('shows new custom attributes by events and tags by a sync, with any name', async () => {
    const id = await client.idOf(web)
    const manager = client.managed('customFieldsManager')
    for (const name of ['owner', 'constructor', '__proto__']) {
      const added = await client.soap(
        'AddCustomFieldDef',
        'CustomFieldsManager',
        manager,
        `<name>${name}</name><moType>VirtualMachine</moType>`,
      )
      const key = /<key>(\d+)</.exec(added)?.[1]
      const value = `<entity type="VirtualMachine">${id}</entity><key>${key}</key><value>by ${name}</value>`
      await client.soap('SetField', 'CustomFieldsManager', manager, value)
    }
    // vcsim itself reports no event when an attribute is set.
    await client.reconfigure(web, '<annotation>with attributes</annotation>')
    const { id: serverId } =
      (await operator.servers()).find(({ external_id }) => external_id === web) ?? {}
    const showsTag = (name: string, value: string) =>
      eventually(
        `the tag ${name} is visible`,
        async () => {
          const path = `/servers/${serverId}`
          const { server } = await operator.request<{ server: Server }>(path)
          return server.metadata[`ext:${name}`] === value
        },
        { deadline: 10 },
      )
    for (const name of ['owner', 'constructor', '__proto__']) {
      await showsTag(name, `by ${name}`)
    }
    const category_id = await client.rest('category', 'POST', {
      create_spec: {
        name: 'valueOf',
        cardinality: 'MULTIPLE',
        associable_types: [],
        description: '',
      },
    })
    const tag = await client.rest('tag', 'POST', {
      create_spec: { name: 'gold', category_id, description: '' },
    })
    await client.rest(`tag-association/id:${tag}?~action=attach`, 'POST', {
      object_id: { type: 'VirtualMachine', id },
    })
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    await showsTag('valueOf', 'gold')
  })

  test('keeps all servers when its session ends, and shows changes again', async () => {
    const before = await summary()
    const own = await client.ownSession()
    for (const session of await client.sessions()) {
      if (session !== own) await client.endSession(session)
    }
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    await operator.finished(account)
    assert.deepEqual(await summary(), before)
    await requireChanges('web-2')
  })

  test('keeps all servers when it is killed in a scan, and syncs again when it is back', async () => {
    const before = await summary()
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    await vcsim.kill()
    await eventually(
      'the account is disconnected',
      async () => (await operator.show(account)).status === 'disconnected',
      { deadline: 30 },
    )
    assert.deepEqual(
      (await operator.servers()).map(({ id }) => id),
      before.map((line) => line.split(' ').at(-1)),
    )
  })
})
