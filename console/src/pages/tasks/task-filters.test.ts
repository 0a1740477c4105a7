import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTaskFilters } from './task-filters.ts'

test('the filters of tasks come from the address, without unknown and empty ones', () => {
  const search = { status: 'failed', search: ' web ', user_id: '', view: 'x', batch_id: 'b' }
  assert.deepEqual(readTaskFilters(search, false), {
    status: 'failed',
    search: 'web',
    batch_id: 'b',
  })
})

test('batches have fewer filters', () => {
  const search = { status: 'running', search: 'web', server_id: 's', user_id: 'u' }
  assert.deepEqual(readTaskFilters(search, true), { status: 'running', user_id: 'u' })
})
