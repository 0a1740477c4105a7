import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Server } from '@muster/contract'
import type { StoredServer } from '../inventory/ports.ts'
import { createTaskWorld, type Course } from '../../testing/task-world.ts'
import { decideLateRestart } from './late-restart.ts'

const restart: Course = { action: 'restart', from: 'running', params: { timeout_secs: 60 } }

async function end(course: Course) {
  const world = createTaskWorld(course)
  const task = await world.run()
  const finished = task.finished_at ?? 0
  const decide = (changes: Partial<Server>, late = 1) => {
    const server: Server = { ...world.server, ...changes }
    const stored = { id: server.id, server } as StoredServer
    return decideLateRestart(task, stored, finished + late, 1_000)
  }
  return { task, decide, server: world.server }
}

test('only a restart that failed while its guest may still shut down is followed', async () => {
  const isFollowed = async (course: Course) => (await end(course)).task.isShown
  assert.equal(await isFollowed({ ...restart, obeys: false }), true)
  assert.equal(await isFollowed({ ...restart, answers: ['5xx'] }), false)
  assert.equal(await isFollowed(restart), false)
  assert.equal(await isFollowed({ ...restart, answers: ['refused'] }), false)
  assert.equal(await isFollowed({ ...restart, answers: ['ok', 'refused'] }), false)
  assert.equal(await isFollowed({ ...restart, action: 'stop', obeys: false }), false)
})

test('a server whose guest shuts down after a failed restart is started, once and for some time', async () => {
  const { task, decide, server } = await end({ ...restart, obeys: false })
  assert.match(task.error, /did not shut down within 60 s\. If it does so later, Muster starts/)
  assert.equal(decide({}), 'wait')
  const start = decide({ status: 'ready' })
  assert.ok(typeof start === 'object')
  assert.deepEqual([start.action, start.status, start.user_id], ['start', 'queued', task.user_id])
  assert.equal(decide({ status: 'ready' }, 1_000), 'end')
  assert.equal(decide({ status: 'ready', deleted: true }), 'end')
  assert.equal(decide({ status: 'ready', pending_deleted: true }), 'end')
  const notes = (more: Record<string, string>) => ({ ...server.metadata, ...more })
  assert.equal(decide({ status: 'ready', metadata: notes({ 'sys:task_id': 'other' }) }), 'wait')
  // Somebody has stopped it since, or another action has failed.
  assert.equal(decide({ status: 'ready', metadata: {} }), 'end')
  const failed = notes({ 'sys:failed_task': 'other stop' })
  assert.equal(decide({ status: 'ready', metadata: failed }), 'end')
})
