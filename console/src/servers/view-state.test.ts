import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SavedView } from '@muster/contract'
import { readListState } from './list-state.ts'
import { fromView, isEdited, toView } from './view-state.ts'

const state = readListState({
  q: 'status:ready',
  sort: 'name',
  columns: 'name,size',
  group_by: 'metadata.env',
})
const view: SavedView = {
  id: 'v1',
  name: 'Stopped',
  resource: 'servers',
  sharing: 'private',
  user_id: 'u1',
  user: 'somebody',
  project_id: 'p1',
  created_at: '2026-05-04T08:00:00.000000Z',
  updated_at: '2026-05-04T08:00:00.000000Z',
  ...toView(state),
}

describe('a saved view', () => {
  it('survives a round trip', () => {
    assert.deepEqual({ ...state, ...fromView(view) }, { ...state, view: 'v1' })
  })

  it('stores the query without incomplete terms', () => {
    assert.equal(toView({ ...state, q: 'status:ready vcpu>=' }).q, 'status:ready')
    assert.equal(isEdited({ ...state, q: 'status:ready vcpu>=' }, view), false)
  })

  it('detects changes', () => {
    assert.equal(isEdited(state, view), false)
    assert.equal(isEdited({ ...state, panel: 's1' }, view), false)
    assert.equal(isEdited({ ...state, q: 'status:running' }, view), true)
    assert.equal(isEdited({ ...state, scope: 'project' }, view), true)
    assert.equal(isEdited({ ...state, groupBy: undefined }, view), true)
    assert.equal(isEdited({ ...state, openGroups: ['tag:env=prod'] }, view), false)
  })
})
