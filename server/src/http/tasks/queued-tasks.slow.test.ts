import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Batch, Task } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { createContractClient } from '../../testing/contract-client.ts'
import {
  createKeyHolders,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import {
  startActingAccount,
  type ActingAccount,
} from '../../testing/inventory-world/acting-account.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { shortTaskLimits } from '../../testing/short-task-limits.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onPostgresFirst('tasks that wait', (engine) => {
  const lifetime = suiteLifetime()
  let acting: ActingAccount
  let holders: KeyHolders
  let owner: KeyHolder
  before(async () => {
    acting = await startActingAccount(lifetime, engine, {
      platform: { taskLimits: shortTaskLimits },
      options: { action_delay: 2_500 },
      account: { max_actions: 1 },
    })
    holders = createKeyHolders(acting.at.platform)
    owner = await holders.addHolder()
    await acting.at.update(acting.accountId, { project_id: owner.projectId })
    await eventually('the servers moved', async () => {
      const { project_id } = await acting.first('ready')
      return project_id === owner.projectId
    })
  })

  const startAs = async (token: string, id: string): Promise<string> => {
    const client = createContractClient(acting.at.url, token)
    const { status, headers, text } = await client.call('startServer', { path: { id } })
    assert.equal(status, 200, text)
    return headers.get('x-task-id') ?? ''
  }

  /** Queues a start behind a task that takes a while, changes something, and returns how it ended. */
  async function queueAndChange(token: string, change: (task: Task) => Promise<unknown>) {
    const [first, second] = await acting.servers('ready', '&scaling_group_id=')
    assert.ok(first && second)
    const blocking = await startAs(acting.at.admin.token, first.id)
    const id = await startAs(token, second.id)
    await change(await acting.getTask(id))
    const task = await acting.ended(id)
    assert.equal(task.started_at, null, 'the task must not have started')
    await eventually('its own status', async () => {
      const { status, metadata } = await acting.getServer(second.id)
      return status === 'ready' && metadata['sys:task_id'] === undefined
    })
    await acting.ended(blocking)
    return task
  }

  test('run when it is their turn', async () => {
    const some = (await acting.servers('ready', '&scaling_group_id=')).slice(0, 2)
    const ids = await Promise.all(some.map(({ id }) => startAs(owner.token, id)))
    for (const id of ids) assert.equal((await acting.ended(id)).status, 'succeeded')
  })

  test('are cancelled on request', async () => {
    const { status } = await queueAndChange(owner.token, ({ id }) =>
      acting.at.admin.get('cancelTask', { path: { id } }),
    )
    assert.equal(status, 'cancelled')
  })

  test('are cancelled if the account is set to observe', async () => {
    const { status, error } = await queueAndChange(owner.token, () =>
      acting.at.update(acting.accountId, { access: 'observe' }),
    )
    assert.equal(status, 'cancelled')
    assert.match(error, /observe/)
    await acting.at.update(acting.accountId, { access: 'manage' })
  })

  test('fail if the access key of the token was disabled', async () => {
    const key = await holders.makeOwnKey(owner)
    const login = await holders.login(holders.present('own', key))
    const token = login.headers.get('x-subject-token') ?? ''
    const { status, error } = await queueAndChange(token, () =>
      holders.credentials(owner.token, 'PUT', `/${key.id}`, { credential: { enabled: false } }),
    )
    assert.deepEqual(
      [status, error],
      ['failed', 'The access key that requested it is disabled, expired or deleted.'],
    )
  })

  test('fail if the server was moved to another project', async () => {
    const projectId = await acting.at.identities.addProject(`other ${newId()}`)
    const { status, error } = await queueAndChange(owner.token, () =>
      acting.at.update(acting.accountId, { project_id: projectId }),
    )
    assert.equal(status, 'failed')
    assert.match(error, /moved to another project/)
    await acting.at.update(acting.accountId, { project_id: owner.projectId })
    await eventually('the servers moved back', async () => {
      const { project_id } = await acting.first('ready')
      return project_id === owner.projectId
    })
  })

  test('are at most 100 of a user, besides those of batches', async () => {
    const { db } = acting.at.database
    const { id } = await acting.first('ready')
    const one = await db.selectFrom('tasks').selectAll().limit(1).executeTakeFirstOrThrow()
    // Of no account, so that nothing runs them.
    const rows = Array.from({ length: 100 }, () => ({
      ...one,
      id: newId(),
      server_id: newId(),
      account_id: '',
      user_id: owner.userId,
      batch_id: '',
      status: 'queued',
    }))
    await acting.at.database.commit([db.insertInto('tasks').values(rows).compile()])
    const client = createContractClient(acting.at.url, owner.token)
    const { details } = await client.fail('TooManyRequests', 'startServer', { path: { id } })
    assert.match(details, /100/)
    const body = { batch: { action: 'start', ids: [id] } }
    const { batch } = await client.get<{ batch: Batch }>('createBatch', { body })
    await acting.at.database.commit([db.deleteFrom('tasks').where('account_id', '=', '').compile()])
    await eventually('the batch ends', async () => {
      const { batch: now } = await client.get<{ batch: Batch }>('getBatch', {
        path: { id: batch.id },
      })
      return now.finished_at !== null
    })
  })

  test('of a batch are cancelled with it, and what runs ends', async () => {
    const ids = (await acting.servers('ready', '&scaling_group_id=')).slice(0, 4).map((s) => s.id)
    const { batch } = await acting.at.admin.get<{ batch: Batch }>('createBatch', {
      body: { batch: { action: 'start', ids } },
    })
    const path = { id: batch.id }
    const show = async () =>
      (await acting.at.admin.get<{ batch: Batch }>('getBatch', { path })).batch
    await eventually('one runs', async () => (await show()).running > 0)
    await acting.at.admin.get('cancelBatch', { path })
    const end = await eventually('the batch ends', async () => {
      const now = await show()
      return now.finished_at === null ? undefined : now
    })
    const { status, succeeded, cancelled, unknown } = end
    assert.deepEqual([status, succeeded, cancelled, unknown], ['cancelled', 1, 3, 0])
  })

  test('fail if the user lost the permission', async () => {
    const { status, error } = await queueAndChange(owner.token, () =>
      acting.at.identities.change(
        acting.at.database.db
          .deleteFrom('assignments')
          .where('id', '=', owner.assignment)
          .compile(),
      ),
    )
    assert.deepEqual(
      [status, error],
      ['failed', 'The user who requested it no longer has the permission.'],
    )
  })
})

onPostgresFirst('tasks that fail', (engine) => {
  const lifetime = suiteLifetime()
  let acting: ActingAccount
  before(async () => {
    acting = await startActingAccount(lifetime, engine, {
      options: { action_delay: 0, action_failures: 100 },
      account: { max_actions: 1 },
    })
  })

  test('stop their batch when ten in a row have failed', async () => {
    const ids = (await acting.servers('running', '&scaling_group_id='))
      .slice(0, 13)
      .map((s) => s.id)
    const { batch } = await acting.at.admin.get<{ batch: Batch }>('createBatch', {
      body: { batch: { action: 'stop', ids } },
    })
    const end = await eventually('the batch ends', async () => {
      const { batch: now } = await acting.at.admin.get<{ batch: Batch }>('getBatch', {
        path: { id: batch.id },
      })
      return now.finished_at === null ? undefined : now
    })
    const { status, failed, cancelled } = end
    assert.deepEqual([status, failed, cancelled], ['stopped', 10, 3])
  })
})
