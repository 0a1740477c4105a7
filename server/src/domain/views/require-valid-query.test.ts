import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../error.ts'
import { requireValidQuery } from './require-valid-query.ts'

const plain = { q: '', order: 'desc', group_by: '', scope: '' } as const
type Parts = Parameters<typeof requireValidQuery>[0]

const check = (parts: Partial<Parts>) =>
  requireValidQuery({ ...plain, columns: [], order_by: [], ...parts })

/** The only invalid part. */
function complaintOf(parts: Partial<Parts>): string {
  try {
    check(parts)
  } catch (error) {
    assert.ok(error instanceof PlatformError && error.status === 400)
    assert.equal(error.fields?.length, 1)
    assert.ok(error.message.startsWith(`${error.fields[0]?.path} `), error.message)
    return error.fields[0]?.path ?? ''
  }
  return 'nothing'
}

describe('a view can be run', () => {
  test('where the list takes its query, its columns and its order', () => {
    assert.equal(complaintOf({}), 'nothing')
    const q = 'status:running ip:10.4.0.0/16 tag:env=prod vcpu>=8 -project:demo "web 7"'
    assert.equal(complaintOf({ q }), 'nothing')
    assert.equal(complaintOf({ columns: ['name', 'ips', 'can_update', 'metadata'] }), 'nothing')
    assert.equal(complaintOf({ columns: ['metadata.env', 'metadata.a.b'] }), 'nothing')
    assert.equal(complaintOf({ order_by: ['vcpu_count', 'name'], order: 'asc' }), 'nothing')
    assert.equal(complaintOf({ scope: 'max' }), 'nothing')
    assert.equal(complaintOf({ group_by: 'project' }), 'nothing')
    assert.equal(complaintOf({ group_by: 'metadata.env' }), 'nothing')
  })

  test('or else says which part of it is wrong, by its own name', () => {
    assert.equal(complaintOf({ q: 'colour:red' }), 'view.q')
    assert.equal(complaintOf({ q: 'vcpu>=many' }), 'view.q')
    assert.equal(complaintOf({ q: 'ip:10.4.0.0/99' }), 'view.q')
    assert.equal(complaintOf({ q: 'a:"' }), 'view.q')
    const many = Array.from({ length: 101 }, (_, at) => `vcpu>${at}`).join(' ')
    assert.equal(complaintOf({ q: many }), 'view.q')
    assert.equal(complaintOf({ columns: ['name', 'colour'] }), 'view.columns')
    assert.equal(complaintOf({ columns: ['metadata.'] }), 'view.columns')
    assert.equal(complaintOf({ columns: ['nics.mac'] }), 'view.columns')
    assert.equal(complaintOf({ order_by: ['colour'] }), 'view.order_by')
    assert.equal(complaintOf({ group_by: 'colour' }), 'view.group_by')
    // Fields that depend on the caller cannot be sorted by.
    assert.equal(complaintOf({ order_by: ['can_update'] }), 'view.order_by')
  })
})
