import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Server, Task } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  longPeriod,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

interface Answer {
  readonly status: number
  readonly taskId: string | null
  readonly body: { readonly server?: Server; readonly class?: string; readonly details?: string }
}

onEngineOfLane('actions of the Cloudpods command line', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let accountId: string
  before(async () => {
    at = await startAttached(lifetime, engine)
    const account = await at.attach({
      name: `simulated ${newId()}`,
      provider: 'Simulator',
      address: '',
      options: { servers: 60, seed: 7, action_delay: 300 },
      access: 'manage',
      period: longPeriod,
    })
    accountId = account.id
    await at.synced(accountId)
  })

  /** A request with the headers and the body that were recorded from the client. */
  async function send(method: string, path: string, body?: string): Promise<Answer> {
    const response = await fetch(`${at.url}/servers/${path}`, {
      method,
      headers: {
        'User-Agent': 'yunioncloud-go/201708',
        'Content-Type': 'application/json',
        'X-Auth-Token': at.admin.token,
      },
      ...(body !== undefined && { body }),
    })
    return {
      status: response.status,
      taskId: response.headers.get('x-task-id'),
      body: (await response.json()) as Answer['body'],
    }
  }
  const ended = (id: string) =>
    eventually<Task>(`task ${id} ends`, async () => {
      const { task } = await at.admin.get<{ task: Task }>('getTask', { path: { id } })
      return task.finished_at === null ? undefined : task
    })
  /** Sends the request, and waits for its task. */
  async function run(...request: Parameters<typeof send>): Promise<Task> {
    const answer = await send(...request)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.ok(answer.body.server)
    return await ended(answer.taskId ?? 'none')
  }
  /** Each test has a server of its own, because they run at the same time. */
  const taken = new Set<string>()
  const first = async (status: string): Promise<Server> => {
    const query = `status=${status}&account_id=${accountId}&details=true&scope=max&disable_delete=false&scaling_group_id=`
    const { servers } = await at.admin.get<{ servers: Server[] }>('listServers', { query })
    const free = servers.find(({ id }) => !taken.has(id))
    assert.ok(free, `no server is ${status}`)
    taken.add(free.id)
    return free
  }
  const server = async (id: string) =>
    (await at.admin.get<{ server: Server }>('getServer', { path: { id } })).server

  describe('work as recorded', { concurrency: true }, () => {
    test('start and stop, with and without flags', async () => {
      const { id } = await first('ready')
      const empty = '{"server":{}}'
      for (const [action, body, params] of [
        ['start', empty, {}],
        ['stop', empty, {}],
        ['start', '{"server":{"auto_prepaid":true,"qemu_version":"2.12"}}', {}],
        [
          'stop',
          '{"server":{"is_force":true,"stop_charging":true,"timeout_secs":5}}',
          { is_force: true, timeout_secs: 5 },
        ],
      ] as const) {
        const task = await run('POST', `${id}/${action}`, body)
        assert.deepEqual([task.action, task.status, task.error], [action, 'succeeded', ''])
        assert.deepEqual(task.params, params)
      }
    })

    test('restart, reset, suspend and resume', async () => {
      const { id } = await first('running')
      for (const [action, body] of [
        ['restart', '{"server":{"is_force":true,"timeout_secs":3}}'],
        ['reset', '{"server":{"is_hard":true}}'],
        ['suspend', '{}'],
        ['resume', '{}'],
      ] as const) {
        const task = await run('POST', `${id}/${action}`, body)
        assert.deepEqual([task.action, task.status, task.error], [action, 'succeeded', ''])
      }
    })

    test('resize with memory as a text', async () => {
      const { id, vcpu_count } = await first('ready')
      const resize = (body: string) => run('POST', `${id}/change-config`, body)
      const count = vcpu_count + 1
      await resize(`{"server":{"vcpu_count":${count},"vmem_size":"3g"}}`)
      const after = await server(id)
      assert.deepEqual([after.vcpu_count, after.vmem_size], [count, 3_072])
      await resize('{"server":{"vmem_size":"2048"}}')
      assert.equal((await server(id)).vmem_size, 2_048)
      const task = await resize('{"server":{"vmem_size":"512M"}}')
      assert.deepEqual(task.params, { vmem_size: 512 })
      for (const wrong of ['"1.5g"', '"0"', '"g"', '"100t"', '"2gb"']) {
        const body = `{"server":{"vmem_size":${wrong}}}`
        assert.equal((await send('POST', `${id}/change-config`, body)).status, 400, wrong)
      }
    })

    test('a task tells why the source refuses', async () => {
      const { id } = await first('ready')
      const task = await run('POST', `${id}/change-config`, '{"server":{"instance_type":"none"}}')
      assert.equal(task.status, 'failed')
      assert.match(task.error, /none/)
    })

    test('update what the client can change', async () => {
      const { id, boot_order } = await first('ready')
      const own = '{"server":{"description":"ours","disable_delete":true}}'
      const described = await send('PUT', id, own)
      assert.deepEqual([described.status, described.taskId], [200, null])
      assert.equal(described.body.server?.disable_delete, true)
      await send('PUT', id, '{"server":{"disable_delete":false}}')
      // The server may have one of them already.
      const order = boot_order === 'dcn' ? 'cdn' : 'dcn'
      const task = await run('PUT', id, `{"server":{"boot":"cdrom","boot_order":"${order}"}}`)
      assert.deepEqual(task.params, { boot_order: order })
      const name = `renamed ${newId()}`
      assert.equal((await run('PUT', id, `{"server":{"name":"${name}"}}`)).status, 'succeeded')
      const after = await server(id)
      assert.deepEqual([after.name, after.boot_order, after.description], [name, order, 'ours'])
      // The client names servers in the path as the user did.
      const path = encodeURIComponent(name)
      assert.equal((await run('POST', `${path}/start`, '{"server":{}}')).server_id, id)
    })

    test('delete, restore, and delete with the disks', async () => {
      const { id } = await first('running')
      assert.equal((await run('DELETE', id)).status, 'succeeded')
      assert.equal((await server(id)).pending_deleted, true)
      const restored = await send('POST', `${id}/cancel-delete`, '{}')
      assert.equal(restored.body.server?.pending_deleted, false)
      const query = 'delete_disks=true&delete_snapshots=true&override_pending_delete=true'
      assert.equal((await run('DELETE', `${id}?${query}`)).status, 'succeeded')
      assert.equal((await server(id)).deleted, true)
    })

    test('what Muster cannot do is refused, not ignored', async () => {
      const { id } = await first('running')
      for (const [method, path, body] of [
        ['DELETE', `${id}?delete_eip=true`],
        ['DELETE', `${id}?delete_bastion_server=true`],
        ['POST', `${id}/change-config`, '{"server":{"disks":[{"index":1,"size":10240}]}}'],
        ['POST', `${id}/change-config`, '{"server":{"cpu_sockets":2}}'],
        ['PUT', id, '{"server":{"shutdown_behavior":"stop_release_gpu"}}'],
        ['PUT', id, '{"server":{"vcpu_count":2}}'],
      ] as const) {
        const { status, body: error } = await send(method, path, body)
        assert.deepEqual([status, error.class], [400, 'InputParameterError'], `${path} ${body}`)
      }
      const { status, body } = await send('POST', `${id}/purge`, '{}')
      assert.deepEqual([status, body.class], [409, 'InvalidStatusError'])
    })
  })
})
