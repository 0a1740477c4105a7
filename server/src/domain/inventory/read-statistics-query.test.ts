import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callerFields } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { readServerQuery } from './server-list/read-server-query.ts'
import { readStatisticsQuery } from './read-statistics-query.ts'

describe('the query of the statistics', () => {
  test('groups by status by default, and by the given fields and tags', () => {
    assert.deepEqual(readStatisticsQuery({}).groups, [{ name: 'status', field: 'status' }])
    const group_by = ['provider', 'is_gpu', 'metadata.env', 'metadata.user:a.b', 'provider']
    assert.deepEqual(readStatisticsQuery({ group_by }).groups, [
      { name: 'provider', field: 'provider' },
      { name: 'is_gpu', field: 'is_gpu' },
      { name: 'metadata.env', metadataKey: 'env' },
      { name: 'metadata.user:a.b', metadataKey: 'user:a.b' },
    ])
  })

  test('rejects unknown fields and fields that depend on the caller alike', () => {
    for (const name of ['stauts', 'metadata', 'metadata.', 'nics', '__proto__', ...callerFields]) {
      assert.throws(
        () => readStatisticsQuery({ group_by: [name] }),
        (error) =>
          error instanceof PlatformError &&
          error.fields?.[0]?.path === 'group_by' &&
          error.message.includes('not a field to group by'),
        name,
      )
    }
  })

  test('selects servers as a list does', () => {
    const parameters = { status: ['running'], q: 'vcpu>=8', scope: 'max', deleted: true } as const
    const mutable = { ...parameters, status: ['running'] }
    const { scope, state, where } = readServerQuery(mutable)
    const { groups: _, ...filter } = readStatisticsQuery(mutable)
    assert.deepEqual(filter, { scope, state, where })
  })
})
