import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskQuery } from './task-query.ts'

const now = Date.parse('2026-05-04T08:30:45.500Z')
const isRefused = "stage.notequals('refused')"

test('what was refused is not failed', () => {
  assert.deepEqual(taskQuery({ status: 'failed' }, now).filter, [isRefused])
  assert.equal(taskQuery({ status: 'failed' }, now).status, 'failed')
  const { status, stage, filter } = taskQuery({ status: 'refused' }, now) as Record<string, unknown>
  assert.deepEqual({ status, stage, filter }, { status: undefined, stage: 'refused', filter: [] })
  for (const other of ['running', 'succeeded', undefined]) {
    assert.deepEqual(taskQuery({ ...(other && { status: other }) }, now).filter, [])
  }
})

test('a time of the address is resolved', () => {
  const time = "created_at.ge('2026-05-03T08:30:00Z')"
  assert.deepEqual(taskQuery({ since: '-24h' }, now).filter, [time])
  assert.deepEqual(taskQuery({ since: '2026-05-03T08:30:00Z', status: 'failed' }, now).filter, [
    isRefused,
    time,
  ])
})
