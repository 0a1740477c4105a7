import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNarrowed, readListState, toListQuery } from './list-state.ts'

describe('the state of a list', () => {
  it('is sorted by name by default', () => {
    const state = readListState('users', {})
    assert.deepEqual(toListQuery(state), { sort_key: 'name', sort_dir: 'asc' })
    assert.equal(isNarrowed(state), false)
  })

  it('is sent to the API as filter and sort parameters', () => {
    const state = readListState('users', {
      sort: 'created_at',
      order: 'desc',
      domain: 'd1',
      enabled: 'false',
      find: 'ada',
    })
    assert.deepEqual(toListQuery(state), {
      sort_key: 'created_at',
      sort_dir: 'desc',
      domain_id: 'd1',
      enabled: 'false',
    })
    assert.equal(state.find, 'ada')
    assert.equal(isNarrowed(state), true)
  })

  it('selects people, programs, or service accounts to look at', () => {
    const queryOf = (only: string) => toListQuery(readListState('users', { only }))
    assert.equal(queryOf('people')['service_account'], 'false')
    assert.equal(queryOf('programs')['service_account'], 'true')
    assert.equal(queryOf('attention')['filter'], "attention.in('ownerless','unused')")
    assert.deepEqual(queryOf('robots'), { sort_key: 'name', sort_dir: 'asc' })
    assert.equal(readListState('groups', { only: 'people' }).only, undefined)
    assert.equal(isNarrowed(readListState('users', { only: 'people' })), true)
  })

  it('leaves out filters that a kind does not have', () => {
    const search = { sort: 'enabled', enabled: 'true', domain: 'd1' }
    const state = readListState('roles', search)
    assert.deepEqual(toListQuery(state), { sort_key: 'name', sort_dir: 'asc' })
    assert.equal(isNarrowed(state), false)
  })

  it('ignores invalid values', () => {
    const state = readListState('projects', { sort: 'id', order: 'up', enabled: 'maybe' })
    assert.deepEqual(toListQuery(state), { sort_key: 'name', sort_dir: 'asc' })
  })
})
