import { after, before, describe } from 'node:test'
import { openstackKind } from '../../server/src/sources/openstack/openstack-kind.ts'
import { describeConformance } from '../../server/src/testing/inventory-world/source-conformance.ts'
import { createPlug, settingsOf } from './plug.ts'
import { startOpenStack, type TestOpenStack } from './start.ts'

describe('OpenStack, by the conformance kit', () => {
  let openstack: TestOpenStack
  before(async () => {
    openstack = await startOpenStack()
    await openstack.add({ name: 'demo-1', networks: 2, floating: true })
  })
  after(() => openstack.stop())
  const settings = (user: string) => settingsOf(openstack.authUrl, user)

  describeConformance(
    openstackKind,
    () => ({
      settings: settings('demo'),
      wrongSettings: {
        ...settings('demo'),
        credentials: { username: 'demo', password: 'not the password' },
      },
      unreachableSettings: settingsOf('http://127.0.0.1:1/v3', 'demo'),
      create: (name) => openstack.add({ name }),
      stop: (server) => openstack.order('change', { server, vm_state: 'stopped' }),
      start: (server) => openstack.order('change', { server, vm_state: 'active' }),
      remove: (server) => openstack.order('delete', { server }),
      breakOne: 'A cell that is down breaks all its servers; to-server.test.ts has one.',
      createOdd: () =>
        Promise.all([
          openstack.add({ name: 'no network', networks: 0 }),
          openstack.add({
            name: 'no host',
            host: null,
            vm_state: 'error',
            fault: 'No valid host',
          }),
          openstack.add({ name: 'building', vm_state: 'building', task_state: 'spawning' }),
          openstack.add({
            name: 'many tags',
            metadata: Object.fromEntries(
              Array.from({ length: 100 }, (_, number) => [`key-${number}`, 'x'.repeat(255)]),
            ),
          }),
        ]),
      async createMany(goal) {
        // Nova reads 275 servers a second. All 10,000 are scanned by hand; docs/sources has the result.
        const count = Math.min(goal, 2_000)
        await openstack.keystone.addProject('many')
        const server = await openstack.add({ name: 'many', project: 'many' })
        await openstack.order('copy', { server, count: count - 1 })
        return { settings: settings('many'), count }
      },
    }),
    {
      http: () =>
        createPlug(openstack, {
          async prepare() {
            await openstack.keystone.addProject('paged')
            const server = await openstack.add({ name: 'paged', project: 'paged' })
            await openstack.order('copy', { server, count: 259, prefix: 'p' })
          },
          settingsAt: (url) => settingsOf(`${url}/v3`, 'paged'),
          isLaterPage: ({ path }) => path.includes('marker='),
          create: (name) => openstack.add({ name, project: 'paged' }),
          remove: (server) => openstack.order('delete', { server }),
        }),
    },
  )
})
