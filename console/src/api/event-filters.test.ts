import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEventFilters, toEventQuery } from './event-filters.ts'

const now = Date.parse('2026-05-04T08:00:00.123Z')

describe('the filters of the audit log', () => {
  it('are read from the address, without what is empty or unknown', () => {
    const filters = readEventFilters({ action: 'login', user_id: ' ', x: 'y', result: 'denied' })
    assert.deepEqual(filters, { action: 'login', result: 'denied' })
  })

  it('are asked as the API names them', () => {
    const filters = { user_id: 'u', since: '2026-05-01T00:00:00Z', before: '2026-05-02T00:00:00Z' }
    assert.deepEqual(toEventQuery(filters, now), filters)
  })

  it('count a span back from now, in whole seconds', () => {
    assert.deepEqual(toEventQuery({ last: '24h' }, now), { since: '2026-05-03T08:00:00Z' })
  })

  it('leave a span alone that is none', () => {
    assert.deepEqual(toEventQuery({ last: 'toString' }, now), {})
  })
})
