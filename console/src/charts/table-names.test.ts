import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isTable, toggleTable } from './table-names.ts'

describe('charts shown as tables', () => {
  it('are toggled one by one', () => {
    const one = toggleTable(undefined, 'region')
    const two = toggleTable(one, 'project')
    assert.equal(two, 'region,project')
    assert.equal(toggleTable(two, 'region'), 'project')
    assert.equal(toggleTable('project', 'project'), '')
  })

  it('are matched by full name', () => {
    assert.equal(isTable('region,project', 'project'), true)
    assert.equal(isTable('regions', 'region'), false)
    assert.equal(isTable(undefined, 'region'), false)
  })
})
