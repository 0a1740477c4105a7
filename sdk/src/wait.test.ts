import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ActionFailedError, waitForBatch, waitForTask, type Answer } from './index.ts'
import type { Batch, Task } from './wait.ts'

type TaskStatus = Task['status']
const ended = '2026-05-04T08:00:00.000000Z'

/** A client whose task, or batch, has the next of these states at each request. */
function clientOf<State>(key: 'task' | 'batch', states: readonly Partial<State>[]) {
  const ids: string[] = []
  const delays: number[] = []
  const read = async ({
    parameters,
    signal,
  }: {
    parameters: { id: string }
    signal?: AbortSignal | undefined
  }) => {
    signal?.throwIfAborted()
    ids.push(parameters.id)
    return { [key]: states[Math.min(ids.length, states.length) - 1] }
  }
  const sleep = async (delay: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    delays.push(delay)
  }
  return { client: { getTask: read, getBatch: read } as never, ids, delays, sleep }
}

const taskIn = (status: TaskStatus): Partial<Task> => ({
  action: 'stop',
  server: 'web-7',
  status,
  error: status === 'failed' ? 'the source refused' : '',
  finished_at: status === 'queued' || status === 'running' ? null : ended,
})

const counts = { failed: 0, refused: 0, cancelled: 0, unknown: 0 }

describe('waiting for a task', () => {
  for (const status of ['succeeded', 'failed', 'cancelled', 'unknown'] as const) {
    for (const before of [[], ['queued'], ['queued', 'running', 'running']] as const) {
      test(`that is ${status} after ${before.length} other states`, async () => {
        const states = [...before, status].map((each) => taskIn(each))
        const { client, ids, delays, sleep } = clientOf<Task>('task', states)
        const seen: string[] = []
        const waiting = waitForTask(client, 'one', {
          sleep,
          onProgress: (task) => void seen.push(task.status),
        })
        if (status === 'succeeded') assert.equal((await waiting).status, status)
        else {
          await assert.rejects(waiting, (error) => {
            assert.ok(error instanceof ActionFailedError)
            assert.equal(error.result.status, status)
            assert.match(error.message, new RegExp(`^stop of web-7 ${status}`))
            if (status === 'failed') assert.match(error.message, /the source refused$/)
            return true
          })
        }
        assert.deepEqual(seen, [...before, status])
        assert.equal(ids.length, states.length)
        assert.equal(delays.length, before.length)
      })
    }
  }

  test('pauses longer each time, and never longer than 5 s', async () => {
    const states = [...Array<TaskStatus>(12).fill('running'), 'succeeded' as const].map((each) =>
      taskIn(each),
    )
    const { client, delays, sleep } = clientOf<Task>('task', states)
    await waitForTask(client, 'one', { sleep })
    assert.equal(delays[0], 500)
    assert.deepEqual(
      delays,
      delays.toSorted((a, b) => a - b),
    )
    assert.equal(delays.at(-1), 5_000)
  })

  test('ends with the reason of the signal, before and between requests', async () => {
    for (const requests of [0, 1, 3]) {
      const abort = new AbortController()
      const { client, ids, sleep } = clientOf<Task>('task', [taskIn('running')])
      const reason = new Error('no time')
      const onProgress = () => ids.length === requests && abort.abort(reason)
      if (requests === 0) abort.abort(reason)
      const waiting = waitForTask(client, 'one', { sleep, signal: abort.signal, onProgress })
      await assert.rejects(waiting, (error) => error === reason)
      assert.equal(ids.length, requests)
    }
  })

  test('takes the response of the action', async () => {
    const { client, ids, sleep } = clientOf<Task>('task', [taskIn('succeeded')])
    const answer = (headers: Record<string, string>): Answer<unknown> => ({
      body: {},
      status: 200,
      headers: new Headers(headers),
    })
    const done = await waitForTask(client, answer({ 'x-task-id': 'seven' }), { sleep })
    assert.equal(done?.status, 'succeeded')
    assert.equal(await waitForTask(client, answer({}), { sleep }), undefined)
    assert.deepEqual(ids, ['seven'])
  })
})

describe('waiting for a batch', () => {
  for (const status of ['finished', 'stopped', 'cancelled'] as const) {
    for (const outcome of ['succeeded', 'failed', 'refused', 'cancelled', 'unknown'] as const) {
      test(`that is ${status} with a task that is ${outcome}`, async () => {
        const last: Partial<Batch> = {
          action: 'stop',
          status,
          ...counts,
          [outcome]: 1,
          finished_at: ended,
        }
        const states = [{ status: 'running' as const, finished_at: null }, last]
        const { client, delays, sleep } = clientOf<Batch>('batch', states)
        const waiting = waitForBatch(client, 'one', { sleep })
        if (status === 'finished' && outcome === 'succeeded') assert.equal(await waiting, last)
        else {
          await assert.rejects(waiting, (error) => {
            assert.ok(error instanceof ActionFailedError)
            assert.equal(error.result, last)
            return true
          })
        }
        assert.deepEqual(delays, [500])
      })
    }
  }
})
