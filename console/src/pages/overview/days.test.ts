import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serverFields } from '../../../../server/src/domain/inventory/fields.ts'
import { parseQ } from '../../../../server/src/domain/query/parse-q.ts'
import { madeBy } from './days.ts'

describe('days', () => {
  it('filters for servers created by the end of a day', () => {
    const [condition] = parseQ(serverFields, madeBy('2026-05-04'))
    assert.deepEqual(condition, {
      kind: 'field',
      field: 'created_at',
      comparison: 'lt',
      values: [Date.parse('2026-05-05T00:00:00Z') * 1000],
    })
  })
})
