import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Batch, Server, ServerActions } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  startActingAccount,
  type ActingAccount,
} from '../../testing/inventory-world/acting-account.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onEngineOfLane('more actions on servers', (engine) => {
  const lifetime = suiteLifetime()
  let acting: ActingAccount
  before(async () => {
    acting = await startActingAccount(lifetime, engine)
  })

  test('stop, restart, reset, suspend and resume a running server', async () => {
    const { id } = await acting.first('running')
    for (const [operation, status] of [
      ['restartServer', 'running'],
      ['resetServer', 'running'],
      ['suspendServer', 'suspend'],
      ['resumeServer', 'running'],
      ['stopServer', 'ready'],
    ] as const) {
      const task = await acting.run(operation, id, { body: { server: {} } })
      assert.deepEqual([operation, task.status, task.error], [operation, 'succeeded', ''])
      assert.equal((await acting.getServer(id)).status, status)
    }
  })

  test('exclude each other: a second action names the unfinished task', async () => {
    const { id } = await acting.first('ready')
    const answer = await acting.act('startServer', id)
    const taskId = answer.headers.get('x-task-id') ?? ''
    assert.match(await acting.refused('ConflictError', 'startServer', id), new RegExp(taskId))
    const { actions } = await acting.at.admin.get<ServerActions>('getServerActions', {
      path: { id },
    })
    assert.equal(actions.start.allowed, false)
    assert.match(actions.start.reason, new RegExp(taskId))
    assert.equal((await acting.ended(taskId)).status, 'succeeded')
  })

  test('happen once with an Idempotency-Key', async () => {
    const { id } = await acting.first('ready')
    const headers = { 'idempotency-key': newId() }
    const answers = await Promise.all(
      [1, 2, 3].map(() => acting.act('startServer', id, { headers, body: { server: {} } })),
    )
    const ids = new Set(answers.map((answer) => answer.headers.get('x-task-id')))
    assert.equal(ids.size, 1, JSON.stringify(answers.map(({ body }) => body)))
    const [taskId] = ids
    await acting.ended(taskId ?? '')
    const again = await acting.act('startServer', id, { headers, body: { server: {} } })
    assert.equal(again.headers.get('x-task-id'), taskId)
    await acting.refused('IdempotencyError', 'stopServer', id, { headers, body: { server: {} } })
  })

  test('resize: stopped, running, and with a stop between', async () => {
    const { id, vcpu_count, vmem_size } = await acting.first('ready')
    const size = { vcpu_count: vcpu_count + 1, vmem_size: vmem_size + 1_024 }
    const task = await acting.run('changeServerConfig', id, { body: { server: size } })
    assert.deepEqual([task.status, task.error], ['succeeded', ''])
    const after = await acting.getServer(id)
    assert.deepEqual([after.vcpu_count, after.vmem_size], [size.vcpu_count, size.vmem_size])
    assert.equal(after.status, 'ready')
    const same = await acting.act('changeServerConfig', id, { body: { server: size } })
    assert.equal(same.headers.get('x-task-id'), null)
    const running = await acting.first('running')
    const forced = { vcpu_count: running.vcpu_count + 2, force_stop: true }
    assert.equal(
      (await acting.run('changeServerConfig', running.id, { body: { server: forced } })).status,
      'succeeded',
    )
    const resized = await acting.getServer(running.id)
    assert.deepEqual([resized.status, resized.vcpu_count], ['running', forced.vcpu_count])
  })

  test('update: what Muster keeps at once, the name by a task', async () => {
    const { id } = await acting.first('ready')
    const described = await acting.act('updateServer', id, {
      body: { server: { description: 'ours', disable_delete: true } },
    })
    assert.equal(described.headers.get('x-task-id'), null)
    assert.equal(described.body.server?.description, 'ours')
    assert.equal(described.body.server?.disable_delete, true)
    assert.match(await acting.refused('InvalidStatusError', 'deleteServer', id), /protected/)
    const name = `renamed ${newId()}`
    assert.equal(
      (await acting.run('updateServer', id, { body: { server: { name } } })).status,
      'succeeded',
    )
    const after = await acting.getServer(id)
    assert.deepEqual([after.name, after.description, after.disable_delete], [name, 'ours', true])
    await acting.act('updateServer', id, { body: { server: { disable_delete: false } } })
    assert.equal((await acting.getServer(id)).disable_delete, false)
  })

  test('delete into the recycle bin, restore, and delete at once', async () => {
    const { id } = await acting.first('running')
    const task = await acting.run('deleteServer', id)
    assert.deepEqual([task.status, task.error], ['succeeded', ''])
    const binned = await acting.getServer(id)
    assert.equal(binned.pending_deleted, true)
    assert.ok(binned.pending_deleted_at !== null && binned.auto_delete_at !== null)
    assert.equal(binned.status, 'ready')
    await acting.refused('InvalidStatusError', 'startServer', id)
    const { actions } = await acting.at.admin.get<ServerActions>('getServerActions', {
      path: { id },
    })
    const allowed = Object.entries(actions).filter((entry) => entry[1].allowed)
    // A delete with `override_pending_delete`.
    assert.deepEqual(
      allowed.map(([name]) => name),
      ['update', 'delete', 'cancel-delete'],
    )
    const restored = await acting.act('cancelServerDeletion', id)
    assert.equal(restored.body.server?.pending_deleted, false)
    assert.equal(restored.body.server?.auto_delete_at, null)
    const query = 'override_pending_delete=true'
    assert.equal((await acting.run('deleteServer', id, { query })).status, 'succeeded')
    assert.equal((await acting.getServer(id)).deleted, true)
  })

  test('are refused for an account that is only observed, and cancel its queued tasks', async () => {
    const { id } = await acting.first('ready')
    await acting.at.admin.call('updateCloudAccount', {
      path: { id: acting.accountId },
      body: { cloudaccount: { access: 'observe' } },
    })
    assert.match(
      await acting.refused('AccountReadOnlyError', 'startServer', id),
      /system administrator/,
    )
    await acting.at.admin.call('updateCloudAccount', {
      path: { id: acting.accountId },
      body: { cloudaccount: { access: 'manage' } },
    })
    assert.equal((await acting.run('startServer', id)).status, 'succeeded')
  })

  test('that wait are cancelled when the account is disabled, and servers show it no more', async () => {
    const change = async (cloudaccount: object) => {
      const answer = await acting.at.admin.call('updateCloudAccount', {
        path: { id: acting.accountId },
        body: { cloudaccount },
      })
      assert.equal(answer.status, 200, answer.text)
    }
    await change({ max_actions: 1 })
    const some = (await acting.servers('ready')).slice(0, 3)
    const answers = await Promise.all(some.map(({ id }) => acting.act('startServer', id)))
    await change({ enabled: false })
    const ids = answers.map(({ headers }) => headers.get('x-task-id') ?? '')
    const ends = await Promise.all(ids.map(acting.getTask))
    const cancelled = ends.filter(({ status }) => status === 'cancelled')
    assert.ok(cancelled.length >= 2, JSON.stringify(ends.map(({ status }) => status)))
    assert.match(cancelled[0]?.error ?? '', /disabled/)
    for (const { server_id } of cancelled) {
      await eventually(
        'its own status',
        async () => (await acting.getServer(server_id)).status === 'ready',
      )
    }
    await change({ enabled: true, max_actions: 10 })
    for (const id of ids) await acting.ended(id)
  })

  test('a user has at most ten unfinished batches', async () => {
    const { at } = acting
    const options = { servers: 400, seed: 11, action_delay: 600_000 }
    const account = { provider: 'Simulator', address: '', options, access: 'manage' }
    const { id: accountId } = await at.attach(account)
    await at.synced(accountId)
    const { call, get } = await at.addCaller('project_owner')
    const { servers } = await get<{ servers: Server[] }>('listServers', {
      query: `account_id=${accountId}&status=ready&limit=12`,
    })
    assert.equal(servers.length, 12)
    const answers = await Promise.all(
      servers.map(({ id }) =>
        call<{ batch: Batch }>('createBatch', { body: { batch: { action: 'start', ids: [id] } } }),
      ),
    )
    const accepted = answers.filter(({ status }) => status === 202)
    assert.equal(accepted.length, 10, answers.map(({ text }) => text).join('\n'))
    assert.ok(answers.every(({ status }) => status === 202 || status === 429))
    await at.admin.get('deleteCloudAccount', { path: { id: accountId }, query: 'evict=true' })
  })
})
