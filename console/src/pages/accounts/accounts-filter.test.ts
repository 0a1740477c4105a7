import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFilter } from './accounts-filter.ts'

describe('the accounts filter in the address', () => {
  it('sorts by name from the first page by default', () => {
    assert.deepEqual(readFilter({}), { orderBy: 'status', order: 'asc', page: 0 })
  })

  it('is read from the address', () => {
    const search = { search: 'aws', status: 'lost', sort: 'servers', order: 'desc', page: '3' }
    assert.deepEqual(readFilter(search), {
      search: 'aws',
      status: 'lost',
      orderBy: 'servers',
      order: 'desc',
      page: 2,
    })
  })

  it('ignores invalid values', () => {
    for (const page of ['-2', '0', 'x', '1e99', '']) {
      const filter = readFilter({ page, status: 'gone', sort: 'constructor', order: 'up' })
      assert.deepEqual(filter, { orderBy: 'status', order: 'asc', page: 0 })
    }
  })
})
