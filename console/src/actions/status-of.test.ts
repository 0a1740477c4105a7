import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Batch, Task } from '@muster/contract'
import { statusOf } from './status-of.ts'

const counts = { failed: 0, unknown: 0, refused: 0, succeeded: 1 }
const batch = (status: Batch['status'], some: Partial<typeof counts> = {}) =>
  statusOf({ status, ...counts, ...some } as Batch)

it('a batch that has failures is not shown as finished', () => {
  assert.equal(batch('finished'), 'finished')
  assert.equal(batch('finished', { failed: 1 }), 'partly')
  assert.equal(batch('finished', { unknown: 1 }), 'partly')
  // Nothing was tried there, and the numbers say so.
  assert.equal(batch('finished', { refused: 1 }), 'finished')
  for (const status of ['running', 'stopped', 'cancelled'] as const) {
    assert.equal(batch(status, { failed: 1 }), status)
  }
})

it('a task that never began is refused', () => {
  const task = (stage: Task['stage']) => statusOf({ status: 'failed', stage } as Task)
  assert.equal(task('refused'), 'refused')
  assert.equal(task('done'), 'failed')
})
