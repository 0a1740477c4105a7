import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isTable, turnTable } from './table-names.ts'

describe('the charts that are tables', () => {
  it('are turned over one by one', () => {
    const one = turnTable(undefined, 'region')
    const two = turnTable(one, 'project')
    assert.equal(two, 'region,project')
    assert.equal(turnTable(two, 'region'), 'project')
    assert.equal(turnTable('project', 'project'), '')
  })

  it('are known by their whole name', () => {
    assert.equal(isTable('region,project', 'project'), true)
    assert.equal(isTable('regions', 'region'), false)
    assert.equal(isTable(undefined, 'region'), false)
  })
})
