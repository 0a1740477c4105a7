import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isActive, statusOf } from './status.ts'

const statuses = [
  ['Running', 'running', true],
  ['Ready', 'running', true],
  ['Started', 'running', true],
  ['Thawed', 'running', true],
  ['Stopped', 'ready', false],
  ['Frozen', 'suspend', true],
  ['Freezing', 'suspending', true],
  ['Starting', 'starting', false],
  ['Stopping', 'stopping', false],
  ['Aborting', 'stopping', false],
] as const
for (const [name, status, hasAddresses] of statuses) {
  test(`an instance that is ${name}`, () => {
    assert.deepEqual(statusOf(name), { status })
    assert.equal(isActive(name), hasAddresses)
  })
}

test('an unknown status keeps its name', () => {
  assert.deepEqual(statusOf('Error'), { status: 'unknown', sourceStatus: 'Error' })
  assert.equal(isActive('Error'), false)
})
