import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEventFilters, toEventQuery } from './event-filters.ts'

const now = Date.parse('2026-05-04T08:00:00.123Z')

/** Nobody asks for the evaluation of a check. */
const common = { record: 'event', filter: "action.notequals('evaluate')" }

describe('audit log filters', () => {
  it('are read from the address; empty and unknown ones are ignored', () => {
    const filters = readEventFilters({ action: 'login', user_id: ' ', x: 'y', result: 'denied' })
    assert.deepEqual(filters, { action: 'login', result: 'denied' })
  })

  it('use the parameter names of the API', () => {
    const filters = { user_id: 'u', since: '2026-05-01T00:00:00Z', before: '2026-05-02T00:00:00Z' }
    assert.deepEqual(toEventQuery(filters, now), { ...common, ...filters })
  })

  it('convert a time span to a start time in whole seconds', () => {
    assert.deepEqual(toEventQuery({ last: '24h' }, now), {
      ...common,
      since: '2026-05-03T08:00:00Z',
    })
  })

  it('ignore an invalid time span', () => {
    assert.deepEqual(toEventQuery({ last: 'toString' }, now), common)
  })

  it('list the evaluations of checks if the action says so', () => {
    const query = toEventQuery({ action: 'evaluate' }, now)
    assert.deepEqual(query, { record: 'event', action: 'evaluate' })
  })
})
