import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Task } from '@muster/contract'
import { letAct } from '../../testing/acting-ec2.ts'
import { letDomainsAct } from '../../testing/acting-libvirt.ts'
import { startFakeEc2 } from '../../testing/fake-ec2.ts'
import { domain } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { shortTaskLimits } from '../../testing/short-task-limits.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onPostgresFirst('events after a request', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    at = await startAttached(lifetime, engine, {
      flags: ['--source-allow=127.0.0.1'],
      taskLimits: shortTaskLimits,
    })
  })

  const act = async (operation: 'restartServer', id: string, server: object): Promise<string> => {
    const answer = await at.admin.call(operation, { path: { id }, body: { server } })
    assert.equal(answer.status, 200, answer.text)
    return answer.headers.get('x-task-id') ?? ''
  }
  const end = (id: string) =>
    eventually<Task>(`task ${id} ends`, async () => {
      const { task } = await at.admin.get<{ task: Task }>('getTask', { path: { id } })
      return task.finished_at === null ? undefined : task
    })

  test('a guest that shuts down after its restart has failed is started again', async () => {
    const libvirt = await startFakeLibvirt(lifetime, { domains: [domain(1, { state: 1 })] })
    const { received } = letDomainsAct(libvirt, 4_000)
    const account = await at.attachLibvirt(libvirt, { access: 'manage', period: 30 })
    const [server] = await at.servers(account)
    assert.ok(server)
    const task = await end(await act('restartServer', server.id, { timeout_secs: 1 }))
    assert.deepEqual([task.status, task.error_class], ['failed', 'guest_did_not_stop'])
    await eventually('the guest has shut down', async () => {
      await at.sync(account.id)
      return received.some(({ procedure }) => procedure === 'domainCreate')
    })
    await eventually(
      'the server runs',
      async () => (await at.server(server.id))?.status === 'running',
    )
    assert.deepEqual(
      received.map(({ procedure }) => procedure),
      ['domainShutdown', 'domainCreate'],
    )
  })

  test('a request that is on its way ends as if its account were not changed', async () => {
    const ec2 = await startFakeEc2(lifetime)
    const { received } = letAct(ec2, { delay: 0, latency: () => 11_000, lateAfter: 0 })
    ec2.instances.set('i-1', { name: 'one', state: 'running' })
    const account = await at.attachEc2(ec2, { access: 'manage', request_timeout: 30 })
    const [server] = await at.servers(account)
    assert.ok(server)
    const id = await act('restartServer', server.id, {})
    await eventually('it is sent', async () => received.length > 0)
    // With this limit the request must have ended before its answer arrives.
    await at.update(account.id, { request_timeout: 5 })
    const task = await end(id)
    assert.deepEqual([task.status, task.error], ['succeeded', ''])
    assert.equal(received.length, 1)
  })
})
