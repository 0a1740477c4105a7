import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultColumns } from './columns.ts'
import { readListState, writeListState } from './list-state.ts'

describe('the server list in its address', () => {
  it('is empty where everything is as usual', () => {
    assert.deepEqual(writeListState(readListState({})), {})
  })

  it('comes back as it was', () => {
    const search = {
      q: 'status:running',
      sort: 'name',
      columns: 'name,id,ips',
      scope: 'project',
      view: 'v1',
      panel: 's1',
      tab: 'disks',
    }
    assert.deepEqual(writeListState(readListState(search)), search)
  })

  it('makes nothing of what it does not know', () => {
    const state = readListState({ sort: 'name;drop', columns: 'nonsense', scope: 'galaxy' })
    assert.deepEqual(state.sort, { by: 'created_at', order: 'desc' })
    assert.deepEqual(state.columns, defaultColumns)
    assert.equal(state.scope, 'max')
  })

  it('always has the name, by which a row is opened', () => {
    assert.deepEqual(readListState({ columns: 'id,status' }).columns, ['name', 'id', 'status'])
  })
})
