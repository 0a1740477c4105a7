import { fieldsUsedFor, servers } from '@muster/contract/resources'
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { filterKeys, type FilterKey } from './keys.ts'

it('every field that the API counts servers by is a filter key', () => {
  const counted = new Set(filterKeys.map(({ groups }: FilterKey) => groups))
  const missing = fieldsUsedFor(servers, 'count').filter((field) => !counted.has(field))
  assert.deepEqual(missing, [])
})
