import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countValues } from '../servers/value-counts.ts'

it('counts values, the most frequent first, without empty ones', () => {
  const rows = ['Aws', 'VMware', 'Aws', '', null, undefined, 'OneCloud'].map((provider, at) => ({
    id: String(at),
    provider,
  }))
  assert.deepEqual(countValues(rows, 'provider'), [
    { value: 'Aws', count: 2 },
    { value: 'OneCloud', count: 1 },
    { value: 'VMware', count: 1 },
  ])
})
