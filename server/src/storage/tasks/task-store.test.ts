import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server, TaskStatus } from '@muster/contract'
import { sql } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import { createTask, musterItself } from '../../domain/tasks/accept-task.ts'
import { idempotencyLifetime } from '../../domain/tasks/idempotency.ts'
import type { TaskStore } from '../../domain/tasks/ports.ts'
import type { BatchRecord, TaskRecord } from '../../domain/tasks/task.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { createStorageLocation, type StorageLocation } from '../../testing/open-storage.ts'
import type { Database } from '../database.ts'
import { createTaskStore } from './task-store.ts'

const now = Date.UTC(2027, 0, 1)
const accountId = 'account'

onBothEngines('stored tasks and batches', (engine) => {
  let location: StorageLocation
  let database: Database
  let tasks: TaskStore
  before(async () => {
    location = await createStorageLocation(engine, 'migrated')
    database = await location.open()
    tasks = createTaskStore(database, Date.now)
    const insert = sql`insert into cloudaccounts (id, name, name_key, provider, brand, credentials,
      options, project_id, period, enabled, mapping, created_at, revision, access)
      values (${accountId}, 'lab', 'lab', 'Simulator', '', '', '{}', '', 30, 1, '[]', 0, 1, 'manage')`
    await database.commit([insert.compile(database.db)])
  })
  after(() => location.remove())

  const newTask = (batchId: string, userId: string): TaskRecord => ({
    ...createTask(
      'start',
      {},
      {
        server: {
          id: newId(),
          name: 'web',
          account_id: accountId,
          project_id: 'project',
          domain_id: 'domain',
          status: 'ready',
          metadata: {},
        } as unknown as Server,
      },
      { ...musterItself, user_id: userId },
      now,
    ),
    batch_id: batchId,
  })

  const newBatch = (userId: string, changes: Partial<BatchRecord> = {}): BatchRecord => ({
    id: newId(),
    action: 'start',
    params: {},
    status: 'running',
    total: 1,
    matched: '',
    max_parallel: 10,
    max_failures: 10,
    project_id: 'project',
    domain_id: 'domain',
    user_id: userId,
    user: 'alice',
    created_at: now,
    finished_at: null,
    ...changes,
  })

  const end = (task: TaskRecord, status: TaskStatus) =>
    tasks.change(task, { status, finished_at: now + 1, isShown: false }, {})

  test('are limited per user in the commit, until they have ended', async () => {
    const most = 3
    for (const kind of ['queued tasks', 'unfinished batches'] as const) {
      const userId = newId()
      const accept = async (user: string) => {
        const batch = kind === 'unfinished batches' ? newBatch(user) : undefined
        const task = newTask(batch?.id ?? '', user)
        const limit = { userId: user, kind, most }
        const isAccepted = await tasks.accept({ tasks: [task], limit, ...(batch && { batch }) })
        return isAccepted ? task : undefined
      }
      const accepted: TaskRecord[] = []
      for (let number = 0; number < most; number += 1) {
        const task = await accept(userId)
        assert.ok(task, `${kind} ${number}`)
        accepted.push(task)
      }
      assert.equal(await accept(userId), undefined, kind)
      assert.equal(await tasks.countOf(userId, kind), most)
      assert.ok(await accept(newId()), 'others have a limit of their own')
      await end(accepted[0] as TaskRecord, 'failed')
      assert.ok(await accept(userId), `${kind} after one has ended`)
    }
  })

  test('the tasks of a batch do not count as queued tasks of the user', async () => {
    const userId = newId()
    const batch = newBatch(userId)
    await tasks.accept({ batch, tasks: [newTask(batch.id, userId), newTask(batch.id, userId)] })
    assert.equal(await tasks.countOf(userId, 'queued tasks'), 0)
  })

  test('a batch stops after so many failures in a row, by time of ending', async () => {
    const endings: readonly TaskStatus[][] = [
      ['failed', 'failed', 'failed'],
      ['failed', 'unknown', 'failed'],
      ['failed', 'failed', 'succeeded', 'failed', 'failed'],
      ['failed', 'failed', 'cancelled', 'failed'],
      ['succeeded', 'failed', 'failed', 'failed'],
      ['succeeded', 'failed', 'succeeded', 'failed'],
    ]
    for (const max_failures of [0, 2, 3]) {
      for (const statuses of endings) {
        const batch = newBatch('user', { max_failures })
        const ending = statuses.map(() => newTask(batch.id, 'user'))
        const [waiting, sent] = [newTask(batch.id, 'user'), newTask(batch.id, 'user')]
        await tasks.accept({ batch, tasks: [...ending, waiting, sent] })
        await tasks.change(sent, { status: 'running', sends: 1, sent_at: now }, {})
        let inRow = 0
        let isStopped = false
        for (const [at, status] of statuses.entries()) {
          const isEnded = await end(ending[at] as TaskRecord, status)
          // What was not sent is cancelled when the batch stops.
          assert.equal(isEnded, !isStopped)
          if (!isEnded) break
          if (status === 'succeeded') inRow = 0
          else if (status !== 'cancelled') inRow += 1
          isStopped = max_failures > 0 && inRow >= max_failures
          const what = `${max_failures}: ${statuses.slice(0, at + 1).join(' ')}`
          const stored = await tasks.findBatch(batch.id)
          assert.equal(stored?.status, isStopped ? 'stopped' : 'running', what)
          const [left, running] = await Promise.all([tasks.find(waiting.id), tasks.find(sent.id)])
          assert.equal(left?.status, isStopped ? 'cancelled' : 'queued', what)
          assert.equal(running?.status, 'running', what)
        }
      }
    }
  })

  test('a task is cancelled only if nothing was sent', async () => {
    for (const step of [0, 1]) {
      for (const sends of [0, 1]) {
        for (const sent_at of [null, now]) {
          const task = newTask('', 'user')
          await tasks.accept({ tasks: [task] })
          await tasks.change(task, { status: 'running', step, sends, sent_at }, {})
          const end = { status: 'cancelled', finished_at: now } as const
          assert.equal(
            await tasks.change(task, end, {}, { isUnsent: true }),
            step === 0 && sends === 0 && sent_at === null,
            `step ${step}, ${sends} requests, sent at ${sent_at}`,
          )
        }
      }
    }
  })

  test('the answer to a request is not stored over a later request', async () => {
    const task = newTask('', 'user')
    await tasks.accept({ tasks: [task] })
    await tasks.change(task, { status: 'running', sends: 1, sent_at: now }, {})
    const store = (sentAt: number) => tasks.change(task, { sent_at: null }, {}, { sentAt })
    assert.deepEqual(
      [await store(now - 1), await store(now), await store(now)],
      [false, true, false],
    )
  })

  test('ids without a task are counted as refused, listed, and end a batch without tasks', async () => {
    const batch = newBatch('user', { total: 251 })
    const refusedIds = Array.from({ length: 250 }, () => newId())
    const task = newTask(batch.id, 'user')
    await tasks.accept({ batch, tasks: [task], refusedIds })
    const counts = (await tasks.countBatches([batch.id])).get(batch.id)
    assert.deepEqual([counts?.refused, counts?.queued], [250, 1])
    assert.deepEqual(await tasks.refusedIds(batch.id), refusedIds.toSorted())
    assert.equal((await tasks.findBatch(batch.id))?.finished_at, null)
    const alone = newBatch('user')
    await tasks.accept({ batch: alone, tasks: [], refusedIds })
    assert.equal((await tasks.findBatch(alone.id))?.status, 'finished')
    await end(task, 'succeeded')
    await tasks.purge(now + 2, now + 2)
    for (const { id } of [batch, alone]) assert.deepEqual(await tasks.refusedIds(id), [])
  })

  test('an Idempotency-Key is stored once per user, and again after a day', async () => {
    const userId = newId()
    const accept = (created_at: number, user_id = userId) =>
      tasks.accept({
        tasks: [newTask('', user_id)],
        idempotency: {
          user_id,
          key: 'key',
          request_hash: '',
          task_id: '',
          batch_id: '',
          created_at,
        },
      })
    assert.equal(await accept(now), true)
    assert.equal(await accept(now + 1), false)
    assert.equal(await accept(now + 1, newId()), true)
    assert.equal(await accept(now + idempotencyLifetime), false)
    assert.equal(await accept(now + idempotencyLifetime + 1), true)
  })

  test('what has ended is deleted after a while, and nothing else', async () => {
    const userId = newId()
    const [old, late, open] = [0, 1, 2].map(() => newBatch(userId)) as [
      BatchRecord,
      BatchRecord,
      BatchRecord,
    ]
    const all = [old, late, open].map((batch) => ({ batch, task: newTask(batch.id, userId) }))
    for (const { batch, task } of all) await tasks.accept({ batch, tasks: [task] })
    for (const [at, time] of [
      [0, now + 9],
      [1, now + 10],
    ] as const) {
      const task = all[at]?.task as TaskRecord
      await tasks.change(task, { status: 'succeeded', finished_at: time, isShown: false }, {})
    }
    await tasks.purge(now + 10, 0)
    const left = async (find: (id: string) => Promise<unknown>, ids: readonly string[]) =>
      (await Promise.all(ids.map(find))).map((found) => found !== undefined)
    const taskIds = all.map(({ task }) => task.id)
    assert.deepEqual(await left(tasks.find, taskIds), [false, true, true])
    const batchIds = all.map(({ batch }) => batch.id)
    assert.deepEqual(await left(tasks.findBatch, batchIds), [false, true, true])
  })

  test('the recycle bin tells whose time is over, the first one first', async () => {
    const entry = (server_id: string, auto_delete_at: number, account_id = accountId) => ({
      server_id,
      account_id,
      delete_disks: server_id === 'first',
      delete_snapshots: server_id === 'second',
      auto_delete_at,
    })
    const [first, second] = [entry('first', 1), entry('second', 2)]
    const later = entry('later', Date.UTC(2100, 0, 1))
    for (const binned of [second, first, later, entry('other', 1, 'other account')]) {
      assert.equal(await tasks.write({ binned }), true)
    }
    assert.deepEqual(await tasks.dueEntries(accountId, 10), [first, second])
    assert.deepEqual(await tasks.dueEntries(accountId, 1), [first])
    assert.deepEqual(await tasks.binEntry('later'), later)
    await tasks.write({ unbinned: ['first', 'later'] })
    assert.deepEqual(await tasks.dueEntries(accountId, 10), [second])
    assert.equal(await tasks.binEntry('later'), undefined)
  })

  test('no task is accepted for an account that was set to observe, disabled or deleted', async () => {
    for (const [change, back] of [
      [`access = 'observe'`, `access = 'manage'`],
      ['enabled = 0', 'enabled = 1'],
      ['leaving = 1', 'leaving = 0'],
    ] as const) {
      const set = (text: string) =>
        database.commit([
          sql`update cloudaccounts set ${sql.raw(text)} where id = ${accountId}`.compile(
            database.db,
          ),
        ])
      await set(change)
      assert.equal(await tasks.accept({ tasks: [newTask('', 'user')] }), false, change)
      await set(back)
      assert.equal(await tasks.accept({ tasks: [newTask('', 'user')] }), true, back)
    }
  })
})
