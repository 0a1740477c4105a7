import { before, describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import { until } from '../../server/src/testing/inventory-world/attached-accounts.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { callNova } from './call-nova.ts'
import { settingsOf } from './plug.ts'
import { startOpenStack, type TestOpenStack } from './start.ts'
import { images } from './world.ts'

void describe('OpenStack: real Nova, fake hypervisor', () => {
  const lifetime = suiteLifetime()
  let openstack: TestOpenStack
  let operator: Operator
  before(async () => {
    openstack = await startOpenStack({ compute: true })
    lifetime.after(() => openstack.stop())
    const muster = await startOperatedMuster(lifetime, { folder: temporaryFolder(lifetime) })
    operator = operate(muster, await loginAdmin(muster.authUrl))
    const account = await operator.attach({
      provider: 'OpenStack',
      ...settingsOf(openstack.authUrl, 'demo'),
    })
    await operator.finished(account)
  })

  const call = <Body>(path: string, body: object) =>
    callNova<Body>(openstack, {
      as: ['demo', 'demo'],
      method: 'POST',
      path: `/servers${path}`,
      body,
    })

  const shows = (what: string, isShown: (server: Server) => boolean) =>
    until(what, async () => (await operator.servers()).some(isShown), 120)

  void test('a server is booted, stopped, started and resized', async () => {
    const { server } = await call<{ server: { id: string } }>('', {
      server: { name: 'boot', imageRef: images[0]?.id, flavorRef: '1', networks: 'none' },
    })
    const act = (action: object) => call(`/${server.id}/action`, action)
    await shows('booted', ({ name, status }) => name === 'boot' && status === 'running')
    await act({ 'os-stop': null })
    await shows('stopped', ({ status }) => status === 'ready')
    await act({ 'os-start': null })
    await shows('started', ({ status }) => status === 'running')
    await act({ resize: { flavorRef: '2' } })
    await shows('resized', (s) => s.instance_type === 'm1.small' && s.status === 'sync_config')
    await act({ confirmResize: null })
    await shows('confirmed', (s) => s.status === 'running' && s.vmem_size === 2_048)
  })
})
