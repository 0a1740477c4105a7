import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { EventDto, Server, Task } from '@muster/contract'
import { letAct, type ActingEc2 } from '../../testing/acting-ec2.ts'
import { startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** Servers stay in the recycle bin for three seconds; it is looked at every ten seconds. */
onPostgresFirst('the end of the time in the recycle bin', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let ec2: FakeEc2
  let acting: ActingEc2
  let accountId: string
  const names = ['plain', 'protected', 'restored', 'started'] as const
  const idOf = (name: string) => `i-${Buffer.from(name).toString('hex').padStart(17, '0')}`

  async function serverOf(name: string): Promise<Server> {
    const query = 'pending_delete=all'
    const found = (await at.servers({ id: accountId }, query)).find((one) => one.name === name)
    assert.ok(found, `${name} is not listed`)
    return found
  }
  const terminated = (name: string) =>
    acting.received.some(({ id, action }) => id === idOf(name) && action === 'TerminateInstances')

  async function put(name: string): Promise<void> {
    const { id } = await serverOf(name)
    const answer = await at.admin.call('deleteServer', { path: { id } })
    assert.equal(answer.status, 200, answer.text)
    await eventually(`${name} is in the bin`, async () => (await serverOf(name)).pending_deleted)
  }

  const warning = async () =>
    (await at.show(accountId)).sync.warnings.find(({ kind }) => kind === 'recycled')

  before(async () => {
    at = await startAttached(lifetime, engine, {
      flags: ['--source-allow=127.0.0.1', '--recycle-for=3s'],
    })
    ec2 = await startFakeEc2(lifetime)
    acting = letAct(ec2, { delay: 50, latency: () => 0, lateAfter: 0 })
    for (const name of names) ec2.instances.set(idOf(name), { name, state: 'running' })
    const account = await at.attachEc2(ec2, { access: 'manage' })
    accountId = account.id
    await Promise.all(names.map(put))
    const change = (name: string, server: object) =>
      serverOf(name).then(({ id }) =>
        at.admin.get('updateServer', { path: { id }, body: { server } }),
      )
    await change('protected', { disable_delete: true })
    const { id } = await serverOf('restored')
    await at.admin.get('cancelServerDeletion', { path: { id } })
    acting.show(idOf('started'), { state: 'running' })
    await at.sync(accountId)
  })

  test('tells how long servers stay in it', async () => {
    assert.deepEqual(await at.admin.get('getRecycleBin'), { recycle_bin: { retention: 3 } })
  })

  test('takes out a server that its source shows running, and tells it', async () => {
    const { id, pending_deleted, auto_delete_at, status } = await serverOf('started')
    assert.deepEqual([pending_deleted, auto_delete_at, status], [false, null, 'running'])
    const { events } = await at.admin.get<{ events: EventDto[] }>('getServerHistory', {
      path: { id },
    })
    assert.ok(events.some(({ changes }) => changes['pending_deleted']?.[1] === false))
  })

  test('deletes the server at its source, by a task of Muster itself', async () => {
    await eventually('it is deleted', () => terminated('plain'))
    const { tasks } = await eventually('the task ended', async () => {
      const list = await at.admin.get<{ tasks: Task[] }>('listTasks', {
        query: `scope=system&action=delete&user_id=&account_id=${accountId}`,
      })
      return list.tasks.some(({ finished_at }) => finished_at !== null) && list
    })
    assert.deepEqual(
      tasks.map(({ server, status, user }) => [server, status, user]),
      [['plain', 'succeeded', 'Muster']],
    )
  })

  test('keeps a protected server, with a warning on the account', async () => {
    const found = await eventually('the warning', warning)
    assert.match(JSON.stringify(found), /protected/)
    assert.equal((await serverOf('protected')).pending_deleted, true)
    assert.equal(terminated('protected'), false)
  })

  test('keeps what an account holds that is only observed', async () => {
    await at.update(accountId, { access: 'observe' })
    const { id } = await serverOf('protected')
    await at.admin.get('updateServer', {
      path: { id },
      body: { server: { disable_delete: false } },
    })
    await at.sync(accountId)
    await eventually('another warning', async () =>
      JSON.stringify((await warning()) ?? '').includes('observe'),
    )
    assert.equal(terminated('protected'), false)
    await at.update(accountId, { access: 'manage' })
    // A changed account needs a complete scan before it deletes.
    await at.sync(accountId)
    await eventually('it is deleted', () => terminated('protected'))
  })

  test('deletes nothing else', async () => {
    for (const name of ['restored', 'started']) {
      assert.equal(terminated(name), false)
      assert.equal((await serverOf(name)).pending_deleted, false)
    }
  })
})
