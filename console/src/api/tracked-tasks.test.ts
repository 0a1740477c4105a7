import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Batch, Task } from '@muster/contract'
import {
  changedItems,
  endedItems,
  isUnfinished,
  progressOf,
  track,
  unfinishedIds,
  withoutLost,
  type Tracked,
} from './tracked-tasks.ts'

const task = (id: string, status?: Task['status']): Tracked =>
  status ? { kind: 'task', id, task: { id, status, progress: 40 } as Task } : { kind: 'task', id }

const batch = (id: string, values: Partial<Batch>): Tracked => ({
  kind: 'batch',
  id,
  batch: { id, total: 4, queued: 0, running: 0, finished_at: null, ...values } as Batch,
})

describe('tracked tasks', () => {
  it('are added in front, and replaced where they are', () => {
    const items = track([task('a', 'running'), task('b', 'queued')], [task('c')])
    assert.deepEqual(
      items.map(({ id }) => id),
      ['c', 'a', 'b'],
    )
    const later = track(items, [task('b', 'failed')])
    assert.deepEqual(later, [task('c'), task('a', 'running'), task('b', 'failed')])
  })

  it('are asked for until they end', () => {
    const end = '2026-05-04T08:00:00Z'
    const items = [
      task('new'),
      task('done', 'succeeded'),
      task('runs', 'running'),
      task('lost', 'unknown'),
      batch('goes on', { running: 1 }),
      batch('over', { finished_at: end }),
    ]
    assert.deepEqual(unfinishedIds(items, 'task'), ['new', 'runs'])
    assert.deepEqual(unfinishedIds(items, 'batch'), ['goes on'])
  })

  it('a cancelled batch is unfinished while tasks that were sent are running', () => {
    assert.equal(isUnfinished(batch('b', { status: 'cancelled', running: 1 })), true)
  })

  it('are removed if the API does not know them', () => {
    const items = [task('a', 'running'), task('b', 'succeeded'), task('c', 'running')]
    assert.deepEqual(
      withoutLost(items, ['a', 'c'], [task('c', 'failed')]).map(({ id }) => id),
      ['b', 'c'],
    )
  })

  it('tell what changed and what ended', () => {
    const before = [task('a', 'running'), task('b', 'queued'), task('c', 'succeeded')]
    const after = [task('a', 'failed'), task('b', 'running'), task('c', 'succeeded')]
    assert.deepEqual(
      changedItems(before, after).map(({ id }) => id),
      ['a', 'b'],
    )
    assert.deepEqual(
      endedItems(before, after).map(({ id }) => id),
      ['a'],
    )
    assert.deepEqual(endedItems([], [task('d', 'failed')]), [])
  })

  it('have a progress', () => {
    assert.equal(progressOf(task('a')), 0)
    assert.equal(progressOf(task('a', 'running')), 40)
    assert.equal(progressOf(batch('b', { queued: 2, running: 1 })), 25)
    assert.equal(progressOf(batch('b', { total: 0 })), 100)
  })
})
