import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isTable, toggleTable } from './table-names.ts'

describe('the charts that are tables', () => {
  it('are turned over one by one', () => {
    const one = toggleTable(undefined, 'region')
    const two = toggleTable(one, 'project')
    assert.equal(two, 'region,project')
    assert.equal(toggleTable(two, 'region'), 'project')
    assert.equal(toggleTable('project', 'project'), '')
  })

  it('are known by their whole name', () => {
    assert.equal(isTable('region,project', 'project'), true)
    assert.equal(isTable('regions', 'region'), false)
    assert.equal(isTable(undefined, 'region'), false)
  })
})
