import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultColumns } from './columns.ts'
import { readListState, writeListState } from './list-state.ts'

describe('the server list state in the address', () => {
  it('is empty for the default state', () => {
    assert.deepEqual(writeListState(readListState({})), {})
  })

  it('survives a round trip', () => {
    const search = {
      q: 'status:running',
      sort: 'name',
      columns: 'name,id,ips',
      scope: 'project',
      group_by: 'metadata.env',
      open: 'tag:env="a b" -tag:env',
      view: 'v1',
      panel: 's1',
      tab: 'disks',
    }
    assert.deepEqual(writeListState(readListState(search)), search)
  })

  it('ignores unknown values', () => {
    const state = readListState({
      sort: 'name;drop',
      columns: 'nonsense',
      scope: 'galaxy',
      group_by: 'ip',
    })
    assert.deepEqual(state.sort, { by: 'created_at', order: 'desc' })
    assert.deepEqual(state.columns, defaultColumns)
    assert.equal(state.scope, 'max')
    assert.equal(state.groupBy, undefined)
  })

  it('always includes the name column', () => {
    assert.deepEqual(readListState({ columns: 'id,status' }).columns, ['name', 'id', 'status'])
  })
})
