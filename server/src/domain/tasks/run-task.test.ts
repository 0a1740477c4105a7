import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ownNotesOf } from '../inventory/own-fields.ts'
import {
  answers,
  createTaskWorld,
  readings,
  times,
  type Course,
  type TaskWorld,
} from '../../testing/task-world.ts'
import type { TaskRecord } from './task.ts'

/** Actions with the status before, and what the source must show after a success. */
const actions: readonly (Pick<Course, 'action' | 'params' | 'from' | 'restarts'> & {
  readonly to: string
})[] = [
  { action: 'start', from: 'ready', to: 'running' },
  { action: 'stop', from: 'running', to: 'ready' },
  { action: 'stop', from: 'running', params: { is_force: true }, to: 'ready' },
  { action: 'restart', from: 'running', restarts: true, to: 'running' },
  { action: 'restart', from: 'running', params: { is_force: true }, to: 'running' },
  { action: 'reset', from: 'running', to: 'running' },
  { action: 'suspend', from: 'running', to: 'suspend' },
  { action: 'resume', from: 'suspend', to: 'running' },
  { action: 'change-config', from: 'ready', params: { vcpu_count: 4 }, to: 'ready' },
  {
    action: 'change-config',
    from: 'running',
    params: { vcpu_count: 4, force_stop: true },
    to: 'running',
  },
  {
    action: 'update',
    from: 'running',
    params: { name: 'b', shutdown_behavior: 'stop' },
    to: 'running',
  },
  { action: 'delete', from: 'running', params: { override_pending_delete: true }, to: 'gone' },
  { action: 'delete', from: 'running', to: 'ready' },
]

const courses = fc.record({
  case: fc.constantFrom(...actions),
  obeys: fc.boolean(),
  checks: fc.boolean(),
  answers: fc.array(fc.constantFrom(...answers), { maxLength: 6 }),
  readings: fc.array(fc.constantFrom(...readings), { maxLength: 6 }),
  crashes: fc.array(fc.integer({ min: 1, max: 16 }), { maxLength: 4 }),
  delay: fc.constantFrom(0, 3_000, 40_000),
})

const hasSize = ({ fields }: ReturnType<TaskWorld['source']>) => fields['vcpu_count'] === 4

/** What must hold after any course of events. */
function check(world: TaskWorld, task: TaskRecord, to: string): void {
  const { delivered, carriedOut } = world
  assert.equal(new Set(delivered).size, delivered.length, `sent twice: ${delivered.join(', ')}`)
  assert.deepEqual(world.sentUnstored, [], 'a request was sent before it was stored')
  assert.ok(task.finished_at !== null && !world.showsTask(), 'the server still shows the task')
  assert.equal(task.status === 'succeeded', task.error === '')
  assert.equal(task.error === '', task.error_class === '')
  const { status } = world.server
  assert.ok(
    ['running', 'ready', 'suspend', 'starting', 'stopping', 'suspending'].includes(status),
    status,
  )
  const noted = ownNotesOf(world.server).failed_task
  assert.equal(noted, task.status === 'succeeded' ? undefined : `${task.id} ${task.action}`)
  const source = world.source()
  const isThere =
    source.status === to &&
    (task.action !== 'change-config' || hasSize(source)) &&
    (task.action !== 'update' ||
      (source.fields['name'] === 'b' && source.fields['shutdown_behavior'] === 'stop'))
  if (task.status === 'succeeded')
    assert.ok(isThere, `succeeded, and the source is ${source.status}`)
  const { done = [] } = task.error_values
  for (const name of done as string[]) assert.ok(carriedOut.includes(name), `${name} is not done`)
  if (task.status !== 'failed') return
  // A failure that is told as one has not happened after all.
  const isVisible = task.action !== 'restart' && task.action !== 'reset'
  if (isVisible) assert.ok(!isThere, `failed, and the source is ${source.status}: ${task.error}`)
}

void describe('runs of a task', () => {
  test('no course of answers, readings and crashes sends a request twice or tells something wrong', async () => {
    await fc.assert(
      fc.asyncProperty(courses, async ({ case: { to, ...action }, ...course }) => {
        const world = createTaskWorld({ ...action, ...course })
        const task = await world.run()
        check(world, task, to)
        const most = (1 + course.crashes.length) * (times.task + 60_000) * 2
        assert.ok(world.now() < most, `it took ${world.now()} ms`)
      }),
      { numRuns: 1_000, seed: 26 },
    )
  })
})
