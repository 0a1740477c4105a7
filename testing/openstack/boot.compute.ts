import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Server, Task } from '@muster/contract'
import { ask, loginAdmin } from '../../server/src/testing/client.ts'
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
import { callNova } from './call-nova.ts'
import { settingsOf } from './plug.ts'
import { startOpenStack, type TestOpenStack } from './start.ts'
import { images } from './world.ts'

void describe('OpenStack: real Nova, fake hypervisor', () => {
  const lifetime = suiteLifetime()
  let openstack: TestOpenStack
  let muster: Muster
  let token: string
  let operator: Operator
  before(async () => {
    openstack = await startOpenStack({ compute: true })
    lifetime.after(() => openstack.stop())
    muster = await startOperatedMuster(lifetime, { folder: temporaryFolder(lifetime) })
    token = await loginAdmin(muster.authUrl)
    operator = operate(muster, token)
    const account = await operator.attach({
      provider: 'OpenStack',
      access: 'manage',
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
    eventually(what, async () => (await operator.servers()).some(isShown), { deadline: 120 })

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

  void test('Muster acts on a server by tasks', async () => {
    await call('', {
      server: { name: 'acted', imageRef: images[0]?.id, flavorRef: '1', networks: 'none' },
    })
    await shows('booted', ({ name, status }) => name === 'acted' && status === 'running')
    const find = async () => (await operator.servers()).find(({ name }) => name === 'acted')
    const id = (await find())?.id ?? ''
    /** Acts, waits for the task, and tells what the server is then. */
    async function act(method: 'POST' | 'DELETE', action: string, server: object = {}) {
      const body = method === 'POST' ? { body: { server } } : {}
      const answer = await ask(muster.baseUrl, `/servers/${id}${action}`, {
        method,
        token,
        ...body,
      })
      assert.equal(answer.status, 200, answer.text)
      const path = `/tasks/${answer.headers.get('x-task-id')}`
      const ended = await eventually(
        `${action} ends`,
        async () => {
          const { task } = await operator.request<{ task: Task }>(path)
          return task.finished_at === null ? undefined : task
        },
        { deadline: 120 },
      )
      assert.deepEqual([action, ended.status, ended.error], [action, 'succeeded', ''])
      const { status, instance_type } = (await find()) ?? {}
      return status && `${status} ${instance_type}`
    }
    assert.equal(await act('POST', '/stop'), 'ready m1.tiny')
    assert.equal(await act('POST', '/start'), 'running m1.tiny')
    assert.equal(await act('POST', '/restart'), 'running m1.tiny')
    assert.equal(await act('POST', '/suspend'), 'suspend m1.tiny')
    assert.equal(await act('POST', '/resume'), 'running m1.tiny')
    const size = { instance_type: 'm1.small', force_stop: true }
    assert.equal(await act('POST', '/change-config', size), 'running m1.small')
    assert.equal(await act('DELETE', '?override_pending_delete=true'), undefined)
  })
})
