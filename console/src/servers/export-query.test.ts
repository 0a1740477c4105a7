import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportQuery } from './export-query.ts'
import { readListState } from './list-state.ts'

describe('the export query', () => {
  it('has the visible order and columns', () => {
    const state = readListState({ q: 'status:ready', sort: 'name', columns: 'name,ips' })
    assert.deepEqual(exportQuery(state, 'csv'), {
      format: 'csv',
      scope: 'max',
      details: true,
      order_by: 'name',
      order: 'asc',
      q: 'status:ready',
      field: ['name', 'ips', 'eip'],
    })
  })

  it('has the default columns of the list by default, and in the recycle bin the time of the deletion', () => {
    const listed =
      'name status ips eip project vcpu_count vmem_size provider region zone created_at'.split(' ')
    assert.deepEqual(exportQuery(readListState({}), 'csv').field, listed)
    const inBin = exportQuery(readListState({ bin: 'true' }), 'csv').field
    assert.deepEqual(inBin, [...listed, 'auto_delete_at'])
  })

  it('leaves out incomplete terms, like the list', () => {
    const of = (q: string) => exportQuery(readListState({ q }), 'ndjson')
    assert.equal(of('web status:').q, 'web')
    assert.ok(!('q' in of('status:')))
  })

  it('includes tags if their column is visible', () => {
    assert.equal(exportQuery(readListState({ columns: 'name,tags' }), 'csv').with_meta, true)
    assert.ok(!('with_meta' in exportQuery(readListState({ columns: 'name' }), 'csv')))
  })
})
