import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ownNotesOf } from '../inventory/own-fields.ts'
import {
  answers,
  commits,
  createTaskWorld,
  denials,
  readings,
  times,
  type Course,
  type TaskWorld,
} from '../../testing/task-world.ts'
import { runsInLane } from '../../testing/lanes.ts'
import type { TaskRecord } from './task.ts'

/** Actions with the status before, and what the source must show after a success. */
const actions: readonly (Pick<Course, 'action' | 'params' | 'from' | 'restarts' | 'confirms'> & {
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
    action: 'change-config',
    from: 'running',
    params: { vcpu_count: 4, force_stop: true },
    confirms: true,
    to: 'running',
  },
  {
    action: 'change-config',
    from: 'sync_config',
    params: { vcpu_count: 4, force_stop: true },
    confirms: true,
    to: 'ready',
  },
  {
    action: 'update',
    from: 'running',
    params: { name: 'b', shutdown_behavior: 'stop' },
    to: 'running',
  },
  { action: 'delete', from: 'running', params: { override_pending_delete: true }, to: 'gone' },
  {
    action: 'delete',
    from: 'running',
    params: { override_pending_delete: true, delete_disks: true },
    to: 'gone',
  },
  { action: 'delete', from: 'running', to: 'ready' },
]

const courses = fc.record({
  case: fc.constantFrom(...actions),
  obeys: fc.boolean(),
  checks: fc.boolean(),
  checkTime: fc.constantFrom(0, 1_000),
  answers: fc.array(fc.constantFrom(...answers), { maxLength: 6 }),
  readings: fc.array(fc.constantFrom(...readings), { maxLength: 6 }),
  logins: fc.array(fc.boolean(), { maxLength: 6 }),
  crashes: fc.array(fc.integer({ min: 1, max: 16 }), { maxLength: 4 }),
  commits: fc.array(fc.constantFrom(...commits), { maxLength: 6 }),
  changedDuring: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  delay: fc.constantFrom(0, 3_000, 40_000),
  unread: fc.constantFrom([], ['shutdown_behavior'] as const),
  tellsWork: fc.constantFrom(undefined, 'end' as const, 'error' as const),
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
  const { answer } = task.error_values
  if (answer !== undefined)
    assert.match(
      String(answer),
      /^(?:Internal error 4711|Log in again|Busy|Not now|Out of space)\.$/,
    )
  const { status } = world.server
  assert.ok(
    /^(?:running|ready|suspend|starting|stopping|suspending|sync_config|busy)$/.test(status),
    status,
  )
  const noted = ownNotesOf(world.server).failed_task
  assert.equal(noted, task.status === 'succeeded' ? undefined : `${task.id} ${task.action}`)
  const source = world.source()
  const isThere =
    source.status === to &&
    (task.action !== 'change-config' || hasSize(source)) &&
    (task.params['delete_disks'] !== true || carriedOut.includes('delete volume vol-1')) &&
    (task.action !== 'update' ||
      (source.fields['name'] === 'b' && source.fields['shutdown_behavior'] === 'stop'))
  if (task.status === 'succeeded')
    assert.ok(isThere, `succeeded, and the source is ${source.status}`)
  // The state before is the target, so only the source can have told it.
  if (task.status === 'succeeded' && task.action === 'reset') assert.ok(carriedOut.length > 0)
  const { done = [] } = task.error_values
  for (const name of done as string[]) assert.ok(carriedOut.includes(name), `${name} is not done`)
  if (task.status !== 'failed') return
  // A task that is reported as failed must not have taken effect.
  const isVisible = task.action !== 'restart' && task.action !== 'reset'
  if (isVisible) assert.ok(!isThere, `failed, and the source is ${source.status}: ${task.error}`)
}

const week = 604_800_000

void describe('runs of a task', () => {
  test('no course of answers, readings and crashes sends a request twice or tells something wrong', async () => {
    await fc.assert(
      fc.asyncProperty(courses, async ({ case: { to, ...action }, ...course }) => {
        const world = createTaskWorld({ ...action, ...course })
        const task = await world.run()
        check(world, task, to)
        if (course.crashes.length === 0) assert.notEqual(task.error_class, 'interrupted')
        const runs = 1 + course.crashes.length + course.readings.length + course.commits.length
        const most = runs * (times.task + 60_000) * 2
        assert.ok(world.now() < most, `it took ${world.now()} ms`)
      }),
      { numRuns: runsInLane(1_000), seed: 26 },
    )
  })

  test('an outage of the database fails no task, however long it is', async () => {
    for (const { to, ...action } of actions) {
      for (const at of [0, 1, 2]) {
        const before = Array.from({ length: at }, () => 'ok' as const)
        const world = createTaskWorld({
          ...action,
          obeys: true,
          readings: [...before, 'no database', 'no database'],
        })
        const task = await world.run()
        assert.deepEqual([task.status, task.error], ['succeeded', ''], `${action.action} ${at}`)
        check(world, task, to)
      }
    }
  })

  interface Expected {
    readonly course: Course
    readonly status: TaskRecord['status']
    readonly class?: TaskRecord['error_class']
    readonly error?: RegExp
    /** The requests that arrived, in this order. */
    readonly sent: readonly string[]
    /** Milliseconds until the end: at least, and less than. */
    readonly within?: readonly [number, number]
    /** What the source shows in the end. */
    readonly shows?: string
  }

  const start: Course = { action: 'start', from: 'ready' }
  const stop: Course = { action: 'stop', from: 'running' }
  const suspend: Course = { action: 'suspend', from: 'running' }
  const reset: Course = { action: 'reset', from: 'running' }
  const remove: Course = {
    action: 'delete',
    from: 'ready',
    params: { override_pending_delete: true },
  }
  const removeAll: Course = { ...remove, params: { ...remove.params, delete_disks: true } }
  const resize: Course = {
    action: 'change-config',
    from: 'running',
    params: { vcpu_count: 4, force_stop: true },
  }
  const hide: Course = {
    action: 'update',
    from: 'running',
    params: { shutdown_behavior: 'stop' },
    unread: ['shutdown_behavior'],
  }
  const settled = times.call + times.settle
  const deletion = ['keep vol-1', 'keep vol-2', 'delete']
  const forever = <const Value>(value: Value) => Array.from({ length: 500 }, () => value)
  const sentBefore = (
    course: Course,
    call: object,
    target: object,
    isInvisible = false,
  ): Course => ({
    ...course,
    stored: {
      status: 'running',
      plan: [{ call, target, ...(isInvisible && { isInvisible }) } as TaskRecord['plan'][number]],
      sends: 1,
      sent_at: Date.UTC(2027, 0, 1),
      started_at: Date.UTC(2027, 0, 1),
    },
  })

  const isRunning = { kind: 'status', status: 'running' }
  const isResized = { kind: 'size', size: { vcpu_count: 4 } }
  /** Muster was down for longer than the time limit when the first step was done. */
  const afterStop = (action: Course['action'], ...steps: readonly object[]): Course => ({
    action,
    from: 'ready',
    params: { vcpu_count: 4, force_stop: true },
    stored: {
      status: 'running',
      plan: [
        {
          call: { kind: 'stop', isForced: false },
          target: { kind: 'status', status: 'ready' },
          requests: [{ name: 'shut down' }],
          done: 1,
        },
        ...steps,
      ] as TaskRecord['plan'],
      step: 1,
      sends: 1,
      started_at: Date.UTC(2027, 0, 1) - 2 * times.task,
    },
  })

  const grow: Course = {
    action: 'change-config',
    from: 'running',
    params: { vcpu_count: 4, force_stop: true },
    confirms: true,
  }

  const cases: Readonly<Record<string, Expected>> = {
    'an error of the source for the confirmation of a resize': {
      course: { ...grow, answers: ['ok', 'ok', '5xx'] },
      status: 'failed',
      class: 'no_answer',
      error:
        /^Internal error 4711\. The server is still in .* Repeat the change to confirm it, then start the server\./,
      sent: ['shut down', 'resize', 'confirm-resize'],
      shows: 'sync_config',
    },
    'a confirmation that takes long': {
      course: { ...grow, from: 'sync_config', delay: 200_000, isHidden: true },
      status: 'succeeded',
      sent: ['confirm-resize'],
      shows: 'ready',
    },
    'the second of two requests was not done, and the first one has the effect that shows': {
      course: {
        action: 'change-config',
        from: 'ready',
        params: { vcpu_count: 4 },
        size: 4,
        checks: true,
        answers: ['hangs'],
        stored: {
          status: 'running',
          plan: [
            {
              call: { kind: 'resize', size: { vcpu_count: 4 } },
              target: { kind: 'size', size: { vcpu_count: 4 } },
              requests: [{ name: 'set the maximum' }, { name: 'set the size' }],
              done: 1,
            },
          ],
          step: 0,
          sends: 1,
          started_at: Date.UTC(2027, 0, 1),
        },
      },
      status: 'failed',
      class: 'no_answer',
      sent: ['set the size'],
    },
    'a new request after a resize that was not confirmed': {
      course: { ...grow, from: 'sync_config' },
      status: 'succeeded',
      sent: ['confirm-resize'],
      shows: 'ready',
    },
    'an error of the source, and nothing changes': {
      course: { ...suspend, answers: ['5xx'] },
      status: 'failed',
      class: 'no_answer',
      error: /^Internal error 4711\. The server is still running\.$/,
      sent: ['suspend'],
      within: [settled, settled + 10_000],
    },
    'no answer, and nothing changes': {
      course: { ...suspend, answers: ['hangs'] },
      status: 'failed',
      class: 'no_answer',
      error: /^No answer\. The server is still running\.$/,
      sent: ['suspend'],
      within: [settled, settled + 10_000],
    },
    'no answer, and it is done': {
      course: { ...suspend, answers: ['lost'] },
      status: 'succeeded',
      sent: ['suspend'],
      shows: 'suspend',
    },
    'no answer, and the source works on it for long': {
      course: { ...suspend, answers: ['lost'], delay: 200_000 },
      status: 'succeeded',
      sent: ['suspend'],
    },
    'the source works on it for minutes, and shows nothing until then': {
      course: { ...suspend, answers: ['works'], delay: 300_000, isHidden: true, tellsBusy: true },
      status: 'succeeded',
      sent: ['suspend'],
      within: [300_000, 320_000],
      shows: 'suspend',
    },
    'the source works on it for minutes, and gives up': {
      course: {
        ...suspend,
        answers: ['gives up'],
        delay: 300_000,
        isHidden: true,
        tellsBusy: true,
      },
      status: 'failed',
      sent: ['suspend'],
      within: [300_000, 320_000],
      shows: 'running',
    },
    'the source works on it for minutes, and tells that it is over': {
      course: {
        ...suspend,
        answers: ['gives up'],
        delay: 300_000,
        isHidden: true,
        tellsWork: 'end',
      },
      status: 'failed',
      class: 'source_failed',
      error: /accepted the request "suspend" but did not complete it\. The server is running/,
      sent: ['suspend'],
      within: [300_000, 310_000],
    },
    'the source works on it for minutes, and tells why it has failed': {
      course: {
        ...suspend,
        answers: ['gives up'],
        delay: 300_000,
        isHidden: true,
        tellsWork: 'error',
      },
      status: 'failed',
      class: 'source_failed',
      error: /^Out of space\.$/,
      sent: ['suspend'],
      within: [300_000, 310_000],
    },
    'a reset that the source works on, and tells why it has failed': {
      course: {
        ...reset,
        answers: ['gives up'],
        delay: 300_000,
        isHidden: true,
        tellsWork: 'error',
      },
      status: 'failed',
      class: 'source_failed',
      error: /^Out of space\.$/,
      sent: ['reset'],
    },
    'no answer, and the source works on it without showing it': {
      course: {
        ...suspend,
        answers: ['lost'],
        delay: 300_000,
        isHidden: true,
        tellsWork: 'end',
      },
      status: 'succeeded',
      sent: ['suspend'],
      within: [300_000, 310_000],
    },
    'the source works on something else': {
      course: { ...suspend, answers: ['idle', 'ok'], delay: 300_000, tellsBusy: true },
      status: 'failed',
      sent: ['suspend'],
      within: [2 * settled, 2 * settled + 15_000],
      shows: 'running',
    },
    'the server cannot be read for a while after the request': {
      course: { ...suspend, answers: ['lost'], readings: ['ok', ...forever('fails').slice(0, 9)] },
      status: 'succeeded',
      sent: ['suspend'],
    },
    'a stop that the source cannot do: not the fault of the guest': {
      course: { ...stop, answers: ['5xx'] },
      status: 'failed',
      class: 'no_answer',
      error: /^Internal error 4711/,
      sent: ['shut down'],
      within: [60_000, 75_000],
    },
    'a guest that stays on': {
      course: { ...stop, obeys: false },
      status: 'failed',
      class: 'guest_did_not_stop',
      error: /did not shut down within 60 s/,
      sent: ['shut down'],
      within: [60_000, 75_000],
    },
    'a guest that takes longer than its time': {
      course: { ...stop, delay: 90_000 },
      status: 'succeeded',
      sent: ['shut down'],
    },
    'a guest that stays on is switched off': {
      course: { ...stop, params: { is_force: true }, obeys: false },
      status: 'succeeded',
      sent: ['shut down', 'switch off'],
      within: [60_000, 80_000],
    },
    'no answer to a soft stop: switched off after the time of the guest': {
      course: { ...stop, params: { is_force: true }, answers: ['5xx'] },
      status: 'succeeded',
      sent: ['shut down', 'switch off'],
      within: [60_000, 80_000],
    },
    'a soft stop that is refused: switched off at once': {
      course: { ...stop, params: { is_force: true }, answers: ['refused'] },
      status: 'succeeded',
      sent: ['shut down', 'switch off'],
      within: [0, 20_000],
    },
    'a reset without an answer': {
      course: { ...reset, answers: ['5xx'], delay: 0 },
      status: 'unknown',
      class: 'no_answer',
      error: /4711.*does not show whether it was done/,
      sent: ['reset'],
      within: [0, 5_000],
    },
    'no answer, the login for requests fails, and the server shows that it is done': {
      course: { ...suspend, answers: ['lost'], logins: [true, ...forever(false)] },
      status: 'succeeded',
      sent: ['suspend'],
      within: [0, 60_000],
    },
    'a request without an answer that was not done, and the target is reached': {
      course: { ...start, answers: ['done by others'], checks: true, delay: 30_000 },
      status: 'succeeded',
      sent: ['start'],
    },
    'a reset that the source has received and not done': {
      course: { ...reset, answers: ['received'] },
      status: 'unknown',
      class: 'no_answer',
      error: /did not answer the request "reset"/,
      sent: ['reset'],
    },
    'a reset that the source works on, without a proof in the end': {
      course: { ...reset, answers: ['gives up'], isHidden: true },
      status: 'unknown',
      sent: ['reset'],
    },
    'a stop that the source has received and not done: not the fault of the guest': {
      course: { ...stop, answers: ['received'] },
      status: 'failed',
      class: 'no_answer',
      error: /did not answer the request "stop"\. The server is still running/,
      sent: ['shut down'],
      within: [60_000, 75_000],
    },
    'an error of the source, and Muster is killed while it waits for the end': {
      course: { ...suspend, answers: ['5xx'], crashes: [6] },
      status: 'failed',
      class: 'no_answer',
      error: /^Internal error 4711\. The server is still running\.$/,
      sent: ['suspend'],
    },
    'a forced stop of a source that switches the server off by itself': {
      course: { ...stop, params: { is_force: true }, answers: ['5xx'], switchesOff: true },
      status: 'failed',
      class: 'no_answer',
      error: /^Internal error 4711/,
      sent: ['switch off'],
    },
    'a reset without an answer that the source shows': {
      course: { ...reset, answers: ['lost'], delay: 30_000 },
      status: 'succeeded',
      sent: ['reset'],
    },
    'the source says that it did nothing, then does it': {
      course: { ...start, answers: ['401', 'busy', 'unreachable'] },
      status: 'succeeded',
      sent: ['start'],
      shows: 'running',
    },
    'a reset that the source did not do at first': {
      course: { ...reset, answers: ['401', 'busy'] },
      status: 'succeeded',
      sent: ['reset'],
    },
    'always busy': {
      course: { ...start, answers: forever('busy') },
      status: 'failed',
      class: 'source_refused',
      error: /^Busy\.$/,
      sent: [],
      within: [60_000, 200_000],
    },
    'never reached': {
      course: { ...start, answers: forever('unreachable') },
      status: 'failed',
      class: 'not_reached',
      error: /was not sent: Connection refused/,
      sent: [],
      within: [60_000, 200_000],
    },
    'cannot be read before the start': {
      course: { ...start, readings: forever('fails') },
      status: 'failed',
      class: 'not_reached',
      error: /could not be read before the action/,
      sent: [],
      within: [60_000, 200_000],
    },
    'incomplete answers before the start, for a while': {
      course: { ...start, readings: forever('unreadable').slice(0, 3) },
      status: 'succeeded',
      sent: ['start'],
    },
    'incomplete answers before the start': {
      course: { ...start, readings: forever('unreadable') },
      status: 'failed',
      class: 'not_reached',
      error: /could not be read before the action/,
      sent: [],
      within: [60_000, 200_000],
    },
    'cannot be read after the request': {
      course: { ...start, readings: ['ok', ...forever('fails')] },
      status: 'unknown',
      class: 'time_limit',
      error: /can no longer be read/,
      sent: ['start'],
      within: [times.task, times.task + 20_000],
    },
    'busy at the second step': {
      course: { action: 'restart', from: 'running', answers: ['ok', ...forever('busy')] },
      status: 'failed',
      class: 'source_refused',
      error: /^Busy\. Done: shut down\. Remaining: start\.$/,
      sent: ['shut down'],
      within: [times.task - 20_000, times.task + 20_000],
    },
    'a restart whose stop takes nearly all the time': {
      course: {
        action: 'restart',
        from: 'running',
        params: { timeout_secs: 900 },
        delay: 600_000,
        answers: ['ok', ...forever('busy').slice(0, 20)],
      },
      status: 'succeeded',
      sent: ['shut down', 'start'],
      shows: 'running',
    },
    'a restart whose process is gone for long after the stop': {
      course: afterStop('restart', { call: { kind: 'start' }, target: isRunning }),
      status: 'succeeded',
      sent: ['start'],
      shows: 'running',
    },
    'a resize whose process is gone for long after the stop: started again': {
      course: {
        ...afterStop(
          'change-config',
          { call: { kind: 'resize', size: { vcpu_count: 4 } }, target: isResized },
          { call: { kind: 'start' }, target: isRunning },
        ),
      },
      status: 'failed',
      class: 'time_limit',
      error: /^The time limit passed[^.]*\. Done: shut down\. Remaining: resize, start\.$/,
      sent: ['start'],
      shows: 'running',
    },
    'a deletion of several requests whose process is gone for long': {
      course: {
        ...remove,
        stored: {
          status: 'running',
          plan: [
            {
              call: { kind: 'delete', disks: false, snapshots: false },
              target: { kind: 'gone' },
              requests: [{ name: 'keep', target: 'vol-1' }, { name: 'delete' }],
              done: 1,
            },
          ],
          sends: 1,
          started_at: Date.UTC(2027, 0, 1) - 2 * times.task,
        },
      },
      status: 'failed',
      class: 'time_limit',
      error: /^The time limit passed[^.]*\. Done: keep vol-1\. Remaining: delete\.$/,
      sent: [],
    },
    'a deletion that is accepted and not done, and a reading that is cut': {
      course: { ...remove, answers: ['ok', 'ok', 'idle'], readings: ['ok', 'cut'] },
      status: 'failed',
      class: 'source_failed',
      sent: deletion,
      shows: 'ready',
    },
    'a guest that shuts down right before it is switched off: started again': {
      course: {
        action: 'restart',
        from: 'running',
        params: { is_force: true },
        obeys: false,
        answers: ['ok', 'so already'],
      },
      status: 'succeeded',
      sent: ['shut down', 'switch off', 'start'],
      shows: 'running',
    },
    'a request before the last one that is refused, because it is so already': {
      course: { ...remove, answers: ['so already'], checks: true },
      status: 'succeeded',
      sent: deletion,
    },
    'refused, and the server cannot be read': {
      course: { ...start, answers: ['refused'], readings: ['ok', ...forever('fails')] },
      status: 'failed',
      class: 'source_refused',
      error: /^Not now\.$/,
      sent: ['start'],
      within: [settled, settled + 20_000],
    },
    'accepted, and nothing happens': {
      course: { ...start, answers: ['idle'] },
      status: 'failed',
      class: 'source_failed',
      error: /^The source accepted the request "start" but did not complete it\. The server is/,
      sent: ['start'],
      within: [2 * settled, 2 * settled + 10_000],
    },
    'a field that cannot be read, and a clear answer': {
      course: { ...hide, answers: ['ok'] },
      status: 'succeeded',
      sent: ['set shutdown_behavior'],
      within: [0, 5_000],
    },
    'a field that cannot be read, and no answer': {
      course: { ...hide, answers: ['lost'] },
      status: 'unknown',
      class: 'no_answer',
      error: /does not show whether it was done/,
      sent: ['set shutdown_behavior'],
    },
    'a field that cannot be read, and the source works on it without a proof in the end': {
      course: { ...hide, answers: ['works'], tellsWork: 'end' },
      status: 'unknown',
      class: 'no_answer',
      error: /does not show whether it was done/,
      sent: ['set shutdown_behavior'],
    },
    'nothing to send, and nothing happens': {
      course: { ...stop, params: { is_force: true, timeout_secs: 0 }, needsNothing: true },
      status: 'failed',
      class: 'source_failed',
      error:
        /^The source needed no request for "stop" but did not complete it\. The server is running\.$/,
      sent: [],
    },
    'an account that is changed while a request is on its way': {
      course: { ...reset, answers: ['ok'], changedDuring: [1] },
      status: 'succeeded',
      sent: ['reset'],
    },
    'an account that is changed while a request is refused': {
      course: { ...start, answers: ['refused'], changedDuring: [1] },
      status: 'failed',
      class: 'source_refused',
      error: /^Not now\.$/,
      sent: ['start'],
    },
    'an operation that takes longer than a request': {
      course: { ...suspend, answers: ['works'], delay: times.task / 2, isHidden: true },
      status: 'succeeded',
      sent: ['suspend'],
      shows: 'suspend',
    },
    'an operation that takes longer than a request, before the next one': {
      course: { ...remove, answers: ['works'], checks: true },
      status: 'succeeded',
      sent: deletion,
    },
    'an error of the source, which changes the server and gives up': {
      course: { ...suspend, answers: ['flaps'], delay: 20_000 },
      status: 'failed',
      class: 'source_failed',
      error: /^Internal error 4711\. The server is running\.$/,
      sent: ['suspend'],
    },
    'an error of the source, and the guest has more time than the task': {
      course: {
        ...resize,
        answers: ['5xx'],
        stored: { status: 'running', started_at: Date.UTC(2027, 0, 1) - times.task + 45_000 },
      },
      status: 'failed',
      class: 'no_answer',
      error: /^Internal error 4711\. The server is still running\.$/,
      sent: ['shut down'],
      within: [settled, 50_000],
    },
    'a guest that stays on, and Muster restarts meanwhile': {
      course: { ...stop, obeys: false, crashes: [6] },
      status: 'failed',
      class: 'guest_did_not_stop',
      sent: ['shut down'],
      within: [60_000, 75_000],
    },
    refused: {
      course: { ...start, answers: ['refused'] },
      status: 'failed',
      class: 'source_refused',
      error: /^Not now\.$/,
      sent: ['start'],
      within: [0, 1_000],
    },
    'a commit that takes longer than a request': {
      course: { ...start, commitTime: times.call },
      status: 'failed',
      class: 'not_reached',
      sent: [],
    },
    'a deletion of several requests, one refused': {
      course: { ...remove, answers: ['ok', 'refused'] },
      status: 'failed',
      class: 'source_refused',
      error: /^Not now\. Done: keep vol-1\. Remaining: keep vol-2, delete\.$/,
      sent: ['keep vol-1', 'keep vol-2'],
      shows: 'ready',
    },
    'a deletion of several requests, one without an answer': {
      course: { ...remove, answers: ['ok', 'lost'], checks: true },
      status: 'succeeded',
      sent: deletion,
      shows: 'gone',
    },
    'a deletion of several requests, one not carried out': {
      course: { ...remove, answers: ['ok', '5xx'], checks: true },
      status: 'failed',
      class: 'no_answer',
      error: /4711.* Done: keep vol-1\. Remaining: keep vol-2, delete\.$/,
      sent: ['keep vol-1', 'keep vol-2'],
      shows: 'ready',
    },
    'a deletion of several requests, and the source cannot tell about one': {
      course: { ...remove, answers: ['ok', 'lost'] },
      status: 'unknown',
      class: 'no_answer',
      error: /Done: keep vol-1\. Remaining: keep vol-2, delete\.$/,
      sent: ['keep vol-1', 'keep vol-2'],
    },
    'a disk that is deleted after its server, and the source is busy': {
      course: { ...removeAll, answers: ['ok', 'busy', 'unreachable'] },
      status: 'succeeded',
      sent: ['delete', 'delete volume vol-1'],
      shows: 'gone',
    },
    'a disk that cannot be seen, and no answer': {
      course: { ...removeAll, answers: ['ok', 'hangs'] },
      status: 'unknown',
      class: 'no_answer',
      error: /does not show whether it was done\. Done: delete\. Remaining: delete volume vol-1\.$/,
      sent: ['delete', 'delete volume vol-1'],
    },
    'a disk that is refused after its server': {
      course: { ...removeAll, answers: ['ok', 'refused'], checks: true },
      status: 'failed',
      class: 'source_refused',
      error: /^Not now\. Done: delete\. Remaining: delete volume vol-1\.$/,
      sent: ['delete', 'delete volume vol-1'],
    },
    'a disk that is not deleted after its server': {
      course: { ...removeAll, answers: ['ok', '5xx'], checks: true },
      status: 'failed',
      class: 'no_answer',
      error: /^Internal error 4711\. Done: delete\. Remaining: delete volume vol-1\.$/,
      sent: ['delete', 'delete volume vol-1'],
    },
    'a resize that fails after the stop: started again': {
      course: { ...resize, answers: ['ok', 'refused'] },
      status: 'failed',
      class: 'source_refused',
      error: /^Not now\. Done: shut down\. Remaining: resize, start\.$/,
      sent: ['shut down', 'resize', 'start'],
      shows: 'running',
    },
    'a start after a resize that fails: not sent again': {
      course: { ...resize, answers: ['ok', 'ok', '5xx'] },
      status: 'failed',
      class: 'no_answer',
      error: /Done: shut down, resize\. Remaining: start\.$/,
      sent: ['shut down', 'resize', 'start'],
      shows: 'ready',
    },
    'a start after a failed resize that fails, too': {
      course: { ...resize, answers: ['ok', 'refused', 'refused'] },
      status: 'failed',
      error: /^Not now\..* Afterwards: Not now\.$/,
      sent: ['shut down', 'resize', 'start'],
      shows: 'ready',
    },
    'sent by an earlier version, and not done': {
      course: sentBefore(suspend, { kind: 'suspend' }, { kind: 'status', status: 'suspend' }),
      status: 'unknown',
      class: 'interrupted',
      error: /Muster stopped while sending.*The server is running: repeat the action/,
      sent: [],
      within: [times.lease + times.call, times.lease + times.call + 5_000],
    },
    'sent by an earlier version, which has counted a failed login as a request': {
      course: {
        ...start,
        stored: { ...sentBefore(start, { kind: 'start' }, isRunning).stored, sends: 0 },
      },
      status: 'unknown',
      class: 'interrupted',
      sent: [],
    },
    'a reset that was sent by an earlier process': {
      course: sentBefore(reset, { kind: 'reset' }, { kind: 'status', status: 'running' }, true),
      status: 'unknown',
      class: 'interrupted',
      error: /does not show whether it was done/,
      sent: [],
      within: [times.lease + times.call, times.lease + times.call + 5_000],
    },
    'a deletion that was sent by an earlier version, and not done': {
      course: sentBefore(remove, { kind: 'delete' }, { kind: 'gone' }),
      status: 'unknown',
      class: 'interrupted',
      sent: [],
    },
    'sent by an earlier version, and done': {
      course: sentBefore(
        { ...suspend, from: 'suspend' },
        { kind: 'suspend' },
        { kind: 'status', status: 'suspend' },
      ),
      status: 'succeeded',
      sent: [],
    },
    'a deletion by time, and somebody protects the server meanwhile': {
      course: { ...remove, isOwn: true, protectedAfter: 1 },
      status: 'failed',
      class: 'refused',
      error: /protected against deletion.* Done: keep vol-1\./,
      sent: ['keep vol-1'],
      shows: 'ready',
    },
    ...Object.fromEntries(
      [0, 1, 2].flatMap((after): [string, Expected][] => [
        [
          `a deletion by time of a server that leaves the recycle bin after ${after} requests`,
          {
            course: { ...remove, isOwn: true, unbinnedAfter: after },
            status: 'failed',
            class: 'refused',
            error: /^The server is no longer stopped in the recycle bin, so it was not deleted\./,
            sent: deletion.slice(0, after),
            shows: 'ready',
          },
        ],
        [
          `a deletion of an account that is set to observe after ${after} requests`,
          {
            course: { ...remove, observedAfter: after },
            status: 'failed',
            class: 'refused',
            error: /^The cloud account was set to observe before the request was sent\./,
            sent: deletion.slice(0, after),
            shows: 'ready',
          },
        ],
      ]),
    ),
  }
  for (const [name, expected] of Object.entries(cases)) {
    test(name, async () => {
      const world = createTaskWorld(expected.course)
      const task = await world.run()
      assert.equal(task.status, expected.status, task.error)
      if (expected.status === 'succeeded') assert.equal(task.error, '')
      if (expected.class) assert.equal(task.error_class, expected.class)
      if (expected.error) assert.match(task.error, expected.error)
      const sent = world.delivered.map((place) => place.slice(place.indexOf(' ') + 1))
      assert.deepEqual(sent, expected.sent)
      const [least, most] = expected.within ?? [0, Infinity]
      assert.ok(world.now() >= least && world.now() < most, `it took ${world.now()} ms`)
      if (expected.shows) assert.equal(world.source().status, expected.shows)
    })
  }

  test('a process that is killed at any moment of a start', async () => {
    const ends: Record<string, number> = {}
    for (let moment = 1; moment <= 6; moment += 1) {
      const world = createTaskWorld({ ...start, crashes: [moment] })
      const task = await world.run()
      assert.ok(world.delivered.length <= 1, `sent twice after a crash at ${moment}`)
      if (task.status === 'unknown') assert.match(task.error, /Muster stopped while sending/)
      ends[task.status] = (ends[task.status] ?? 0) + 1
    }
    // Before the request is stored, the task runs. After that, without an answer, the outcome is unknown.
    assert.deepEqual(ends, { succeeded: 4, unknown: 2 })
  })

  for (const refusedCourse of [start, reset, hide, remove]) {
    test(`a process that is killed after a refusal: ${refusedCourse.action}`, async () => {
      const course = { ...refusedCourse, answers: ['refused'], readings: ['ok', 'killed'] } as const
      const { error_class, error } = await createTaskWorld(course).run()
      assert.equal(error_class, 'source_refused')
      assert.match(error, /^Not now\.$/)
    })
  }

  test('a process that is killed at any moment of a restart whose start is delayed', async () => {
    const ends: Record<string, number> = {}
    for (let moment = 1; moment <= 16; moment += 1) {
      const course = { action: 'restart', from: 'running', answers: ['ok', 'busy'] } as const
      const world = createTaskWorld({ ...course, crashes: [moment] })
      const task = await world.run()
      const { delivered } = world
      assert.equal(new Set(delivered).size, delivered.length, `sent twice: crash at ${moment}`)
      ends[task.status] = (ends[task.status] ?? 0) + 1
    }
    assert.deepEqual(ends, { succeeded: 9, unknown: 7 })
  })

  for (const logins of [[], [true, false], [true, false, false]]) {
    test(`a task can be cancelled until it is sent, after ${logins.length} logins`, async () => {
      const world = createTaskWorld({ ...start, answers: ['busy'], logins })
      assert.equal((await world.run()).status, 'succeeded')
      const unsent = world.waiting.filter((task) => task.sends === 0 && task.sent_at === null)
      assert.equal(unsent.length, Math.max(1, logins.length))
      const sent = world.waiting.slice(unsent.length)
      assert.ok(sent.length > 0 && sent.every(({ sends, sent_at }) => sends === 1 && sent_at))
    })
  }

  test('a reset without an answer that ends at any moment', async () => {
    for (let delay = times.call; delay < times.call + 20_000; delay += 500) {
      const course = { ...reset, answers: ['lost'], checks: true, checkTime: 1_000, delay } as const
      const { status, error } = await createTaskWorld(course).run()
      assert.equal(status, 'succeeded', `after ${delay} ms: ${error}`)
    }
  })

  test('a wrong password is not tried at each reading', async () => {
    const logins = [true, ...forever(false)]
    const world = createTaskWorld({ ...suspend, answers: ['hangs'], logins })
    const { status, error_class } = await world.run()
    assert.deepEqual([status, error_class], ['unknown', 'time_limit'])
    assert.ok(world.logins() < 30, `${world.logins()} logins`)
  })

  test('after a refusal the server is read again, because the source may know more', async () => {
    const world = createTaskWorld({ ...reset, answers: ['refused'] })
    assert.equal((await world.run()).error_class, 'source_refused')
    assert.equal(world.reads(), 2)
  })

  test('a failure takes two readings', async () => {
    const world = createTaskWorld({
      ...suspend,
      answers: ['5xx'],
      readings: ['ok', ...forever('fails').slice(0, 8)],
    })
    assert.equal((await world.run()).status, 'failed')
    assert.equal(world.reads(), 3)
  })

  test('a server that the source denies is removed only after its deletion was sent', async () => {
    const reading = fc.constantFrom(...readings, ...denials)
    const deniedCourses = fc.record({
      case: fc.constantFrom(...actions),
      isOwn: fc.boolean(),
      answers: fc.array(fc.constantFrom(...answers), { maxLength: 6 }),
      readings: fc.array(reading, { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(deniedCourses, async ({ case: action, ...course }) => {
        const world = createTaskWorld({ ...action, ...course })
        const { status, error_class } = await world.run()
        const isSent = world.delivered.some(
          (place) => place.endsWith(' delete') && !world.refused.includes(place),
        )
        assert.ok(isSent || !world.server.deleted, 'removed by a denial')
        const isGone = status === 'succeeded' && action.params?.['override_pending_delete'] === true
        const isDenied = error_class === 'server_gone' || (isGone && !world.server.deleted)
        if (isDenied) assert.ok(world.requestedScans() > 0, 'no scan was requested')
      }),
      { numRuns: runsInLane(1_000), seed: 26 },
    )
  })

  const scanned: readonly (readonly [string, Course, TaskRecord['status'], number])[] = [
    ['before its request', { ...stop, readings: ['denied'] }, 'failed', 0],
    ['after its request', { ...start, readings: ['ok', 'denied'] }, 'failed', 1],
    ['before its deletion', { ...remove, readings: ['denied'] }, 'succeeded', 0],
    [
      'before it goes into the bin',
      { ...stop, action: 'delete', readings: ['denied'] },
      'failed',
      0,
    ],
    [
      'without being sure after its deletion',
      { ...remove, readings: ['ok', 'cannot tell'] },
      'succeeded',
      3,
    ],
    ['before its deletion by time', { ...remove, isOwn: true, readings: ['denied'] }, 'failed', 0],
  ]
  for (const [name, course, status, sent] of scanned) {
    test(`a server that the source denies ${name}: a scan decides`, async () => {
      const world = createTaskWorld(course)
      const task = await world.run()
      assert.deepEqual(
        [task.status, task.error_class, world.delivered.length, world.requestedScans()],
        [status, status === 'failed' ? 'server_gone' : '', sent, 1],
      )
      assert.equal(world.server.deleted, false)
      assert.equal(world.entry !== undefined, course.isOwn === true)
    })
  }

  for (const delete_disks of [true, false]) {
    for (const delete_snapshots of [true, false]) {
      test(`the recycle bin keeps what is deleted: ${delete_disks}, ${delete_snapshots}`, async () => {
        const params = { delete_disks, delete_snapshots }
        const world = createTaskWorld({ action: 'delete', from: 'running', params })
        const { status, finished_at } = await world.run()
        assert.equal(status, 'succeeded')
        const auto_delete_at = (finished_at ?? 0) + week
        assert.deepEqual(world.entry, {
          server_id: 'server',
          account_id: 'account',
          ...params,
          auto_delete_at,
        })
        const { pending_deleted, pending_deleted_at } = world.server
        assert.ok(pending_deleted && Date.parse(pending_deleted_at ?? '') === finished_at)
        assert.equal(Date.parse(world.server.auto_delete_at ?? ''), auto_delete_at)
      })
    }
  }
  for (const [answer, status, time] of [
    ['refused', 'failed', 3_600_000],
    ['lost', 'unknown', week],
  ] as const) {
    test(`a deletion by time that is ${status} is postponed by its end`, async () => {
      const world = createTaskWorld({ ...remove, isOwn: true, answers: [answer] })
      const task = await world.run()
      assert.equal(task.status, status, task.error)
      assert.equal(world.entry?.auto_delete_at, (task.finished_at ?? 0) + time)
      assert.equal(Date.parse(world.server.auto_delete_at ?? ''), world.entry.auto_delete_at)
    })
  }
})
