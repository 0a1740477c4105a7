import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Batch, BatchPreview, EventDto, Server, ServerActions, Task } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  longPeriod,
  startAttached,
  until,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly server?: Server; readonly class?: string; readonly details?: string }
}

onEngineOfLane('actions on servers', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let accountId: string
  before(async () => {
    at = await startAttached(lifetime, engine)
    const account = await at.attach({
      name: `simulated ${newId()}`,
      provider: 'Simulator',
      address: '',
      options: { servers: 150, seed: 7, action_delay: 300 },
      access: 'manage',
      period: longPeriod,
    })
    accountId = account.id
    await at.synced(accountId)
  })

  const servers = async (status: string, query = '') =>
    (
      await at.admin.get<{ servers: Server[] }>('listServers', {
        query: `status=${status}&account_id=${accountId}&details=true&with_meta=true&scope=max&disable_delete=false&limit=50${query}`,
      })
    ).servers
  const server = async (id: string) =>
    (await at.admin.get<{ server: Server }>('getServer', { path: { id } })).server
  const taskOf = async (id: string) =>
    (await at.admin.get<{ task: Task }>('getTask', { path: { id } })).task
  const ended = (id: string) =>
    until<Task>(`task ${id} ends`, async () => {
      const task = await taskOf(id)
      return task.finished_at === null ? undefined : task
    })
  const act = (
    operation: Parameters<Attached['admin']['call']>[0],
    id: string,
    given: { body?: unknown; query?: string; headers?: Record<string, string> } = {},
  ) => at.admin.call(operation, { path: { id }, ...given }) as unknown as Promise<Answer>

  test('start a stopped server: transitional status, task, history', async () => {
    const [stopped] = await servers('ready')
    assert.ok(stopped)
    // Cloudpods' clients send these; they have no effect.
    const body = { server: { auto_prepaid: true, qemu_version: '2.12.1' } }
    const answer = await act('startServer', stopped.id, { body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.match(answer.body.server?.status ?? '', /^start/)
    const taskId = answer.headers.get('x-task-id') ?? ''
    assert.match(answer.headers.get('location') ?? '', new RegExp(`/tasks/${taskId}$`))
    const task = await ended(taskId)
    assert.deepEqual([task.status, task.error, task.progress], ['succeeded', '', 100])
    assert.deepEqual(task.params, {})
    const after = await server(stopped.id)
    assert.equal(after.status, 'running')
    assert.equal(after.metadata['sys:task_id'], undefined)
    const { events } = await at.admin.get<{ events: EventDto[] }>('getServerHistory', {
      path: { id: stopped.id },
    })
    const told = events.filter(({ action }) => action === 'start')
    assert.equal(told.length, 2)
    assert.ok(told.every(({ user, changes }) => user !== '' && changes['task_id']?.[1] === taskId))
  })

  const run = async (...given: Parameters<typeof act>) => {
    const answer = await act(...given)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return await ended(answer.headers.get('x-task-id') ?? 'none')
  }
  const refused = async (errorClass: string, ...given: Parameters<typeof act>) => {
    const { status, body } = await act(...given)
    assert.equal(body.class, errorClass, JSON.stringify(body))
    assert.ok(status >= 400)
    return body.details ?? ''
  }
  const first = async (status: string, query = '') => {
    const [found] = await servers(status, query)
    assert.ok(found, `no server is ${status}`)
    return found
  }
  const notScaled = '&scaling_group_id='

  test('stop, restart, reset, suspend and resume a running server', async () => {
    const { id } = await first('running', notScaled)
    for (const [operation, status] of [
      ['restartServer', 'running'],
      ['resetServer', 'running'],
      ['suspendServer', 'suspend'],
      ['resumeServer', 'running'],
      ['stopServer', 'ready'],
    ] as const) {
      const task = await run(operation, id, { body: { server: {} } })
      assert.deepEqual([operation, task.status, task.error], [operation, 'succeeded', ''])
      assert.equal((await server(id)).status, status)
    }
  })

  test('are not sent again if the server is already so', async () => {
    const { id } = await first('ready')
    const answer = await act('stopServer', id)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-task-id'), null)
    assert.equal(answer.body.server?.status, 'ready')
  })

  test('are refused in the wrong state, and tell from which states they work', async () => {
    const { id } = await first('ready')
    assert.match(await refused('InvalidStatusError', 'suspendServer', id), /stopped.*running/)
    assert.match(await refused('InvalidStatusError', 'resumeServer', id), /suspended/)
    await refused('InputParameterError', 'startServer', id, { body: { server: { colour: 'red' } } })
    await refused('InputParameterError', 'stopServer', id, {
      body: { server: { timeout_secs: -1 } },
    })
  })

  test('exclude each other: a second action names the unfinished task', async () => {
    const { id } = await first('ready')
    const answer = await act('startServer', id)
    const taskId = answer.headers.get('x-task-id') ?? ''
    assert.match(await refused('ConflictError', 'startServer', id), new RegExp(taskId))
    const { actions } = await at.admin.get<ServerActions>('getServerActions', { path: { id } })
    assert.equal(actions.start.allowed, false)
    assert.match(actions.start.reason, new RegExp(taskId))
    assert.equal((await ended(taskId)).status, 'succeeded')
  })

  test('happen once with an Idempotency-Key', async () => {
    const { id } = await first('ready')
    const headers = { 'idempotency-key': newId() }
    const answers = await Promise.all(
      [1, 2, 3].map(() => act('startServer', id, { headers, body: { server: {} } })),
    )
    const ids = new Set(answers.map((answer) => answer.headers.get('x-task-id')))
    assert.equal(ids.size, 1, JSON.stringify(answers.map(({ body }) => body)))
    const [taskId] = ids
    await ended(taskId ?? '')
    const again = await act('startServer', id, { headers, body: { server: {} } })
    assert.equal(again.headers.get('x-task-id'), taskId)
    await refused('IdempotencyError', 'stopServer', id, { headers, body: { server: {} } })
  })

  test('check If-Match', async () => {
    const { id, update_version } = await first('ready')
    const stale = { 'if-match': `"v${update_version + 7}"` }
    await refused('PreconditionFailedError', 'startServer', id, { headers: stale })
    const fresh = { 'if-match': `"v${update_version}"` }
    assert.equal((await run('startServer', id, { headers: fresh })).status, 'succeeded')
  })

  test('resize: stopped, running, and with a stop between', async () => {
    const { id, vcpu_count, vmem_size } = await first('ready')
    const size = { vcpu_count: vcpu_count + 1, vmem_size: vmem_size + 1_024 }
    const task = await run('changeServerConfig', id, { body: { server: size } })
    assert.deepEqual([task.status, task.error], ['succeeded', ''])
    const after = await server(id)
    assert.deepEqual([after.vcpu_count, after.vmem_size], [size.vcpu_count, size.vmem_size])
    assert.equal(after.status, 'ready')
    const same = await act('changeServerConfig', id, { body: { server: size } })
    assert.equal(same.headers.get('x-task-id'), null)
    const running = await first('running', notScaled)
    const forced = { vcpu_count: running.vcpu_count + 2, force_stop: true }
    assert.equal(
      (await run('changeServerConfig', running.id, { body: { server: forced } })).status,
      'succeeded',
    )
    const resized = await server(running.id)
    assert.deepEqual([resized.status, resized.vcpu_count], ['running', forced.vcpu_count])
  })

  test('update: what Muster keeps at once, the name by a task', async () => {
    const { id } = await first('ready')
    const described = await act('updateServer', id, {
      body: { server: { description: 'ours', disable_delete: true } },
    })
    assert.equal(described.headers.get('x-task-id'), null)
    assert.equal(described.body.server?.description, 'ours')
    assert.equal(described.body.server?.disable_delete, true)
    assert.match(await refused('InvalidStatusError', 'deleteServer', id), /protected/)
    const name = `renamed ${newId()}`
    assert.equal(
      (await run('updateServer', id, { body: { server: { name } } })).status,
      'succeeded',
    )
    const after = await server(id)
    assert.deepEqual([after.name, after.description, after.disable_delete], [name, 'ours', true])
    await act('updateServer', id, { body: { server: { disable_delete: false } } })
    assert.equal((await server(id)).disable_delete, false)
  })

  test('delete into the recycle bin, restore, and delete at once', async () => {
    const { id } = await first('running', notScaled)
    const task = await run('deleteServer', id)
    assert.deepEqual([task.status, task.error], ['succeeded', ''])
    const binned = await server(id)
    assert.equal(binned.pending_deleted, true)
    assert.ok(binned.pending_deleted_at !== null && binned.auto_delete_at !== null)
    assert.equal(binned.status, 'ready')
    await refused('InvalidStatusError', 'startServer', id)
    const { actions } = await at.admin.get<ServerActions>('getServerActions', { path: { id } })
    const allowed = Object.entries(actions).filter((entry) => entry[1].allowed)
    // A delete with `override_pending_delete`.
    assert.deepEqual(
      allowed.map(([name]) => name),
      ['update', 'delete', 'cancel-delete'],
    )
    const restored = await act('cancelServerDeletion', id)
    assert.equal(restored.body.server?.pending_deleted, false)
    assert.equal(restored.body.server?.auto_delete_at, null)
    const query = 'override_pending_delete=true'
    assert.equal((await run('deleteServer', id, { query })).status, 'succeeded')
    assert.equal((await server(id)).deleted, true)
  })

  test('are refused for an account that is only observed, and cancel its queued tasks', async () => {
    const { id } = await first('ready')
    await at.admin.call('updateCloudAccount', {
      path: { id: accountId },
      body: { cloudaccount: { access: 'observe' } },
    })
    assert.match(await refused('AccountReadOnlyError', 'startServer', id), /system administrator/)
    await at.admin.call('updateCloudAccount', {
      path: { id: accountId },
      body: { cloudaccount: { access: 'manage' } },
    })
    assert.equal((await run('startServer', id)).status, 'succeeded')
  })

  test('that wait are cancelled when the account is disabled, and servers show it no more', async () => {
    const change = async (cloudaccount: object) => {
      const answer = await at.admin.call('updateCloudAccount', {
        path: { id: accountId },
        body: { cloudaccount },
      })
      assert.equal(answer.status, 200, answer.text)
    }
    await change({ max_actions: 1 })
    const some = (await servers('ready')).slice(0, 3)
    const answers = await Promise.all(some.map(({ id }) => act('startServer', id)))
    await change({ enabled: false })
    const ids = answers.map(({ headers }) => headers.get('x-task-id') ?? '')
    const ends = await Promise.all(ids.map(taskOf))
    const cancelled = ends.filter(({ status }) => status === 'cancelled')
    assert.ok(cancelled.length >= 2, JSON.stringify(ends.map(({ status }) => status)))
    assert.match(cancelled[0]?.error ?? '', /disabled/)
    for (const { server_id } of cancelled) {
      await until('its own status', async () => (await server(server_id)).status === 'ready')
    }
    await change({ enabled: true, max_actions: 10 })
    for (const id of ids) await ended(id)
  })

  test('act on many servers in a batch, after a dry run', async () => {
    const some = (await servers('ready')).slice(0, 5)
    const ids = [...some.map(({ id }) => id), '00000000-0000-4000-8000-000000000000']
    const call = (batch: object) =>
      at.admin.call<{ batch: Batch & BatchPreview }>('createBatch', { body: { batch } })
    const preview = await call({ action: 'start', ids, dry_run: true })
    assert.equal(preview.status, 200, preview.text)
    assert.deepEqual(
      preview.body.batch.items.map(({ outcome }) => outcome),
      [...some.map(() => 'act'), 'refused'],
    )
    const accepted = await call({ action: 'start', ids, matched: preview.body.batch.matched })
    assert.equal(accepted.status, 202, accepted.text)
    const { id } = accepted.body.batch
    const batch = await until<Batch>('the batch ends', async () => {
      const { batch: now } = await at.admin.get<{ batch: Batch }>('getBatch', { path: { id } })
      return now.finished_at === null ? undefined : now
    })
    const { total, succeeded, refused: out, status } = batch
    assert.deepEqual(
      { total, succeeded, out, status },
      { total: 6, succeeded: 5, out: 1, status: 'finished' },
    )
    const missing = await call({ action: 'delete', ids })
    assert.equal(missing.status, 400)
    const changed = await call({ action: 'delete', ids, matched: 'other' })
    assert.equal(changed.status, 409)
  })
})
