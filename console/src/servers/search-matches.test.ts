import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hiddenMatch, searchWords } from './search-matches.ts'

const row = {
  id: '5d6e7f80-9102-4a3b-8c4d-5e6f70819203',
  name: 'web-1',
  ips: '10.0.0.7,10.0.0.8',
  host: 'esx-3',
  description: '',
  metadata: { 'user:owner': 'Ada', 'sys:note': 'esx' },
}

describe('why a server matches', () => {
  it('is asked of texts that are no filters', () => {
    assert.deepEqual(searchWords('Web status:running -db "10.0.0.7"'), ['web', '10.0.0.7'])
    assert.deepEqual(searchWords(''), [])
  })

  it('is told if the visible columns do not show it', () => {
    const match = (q: string) => hiddenMatch(row, searchWords(q), ['name', 'ips'])
    assert.equal(match('WEB'), undefined)
    assert.equal(match('0.0.8'), undefined)
    assert.deepEqual(match('esx'), { column: 'host', text: 'esx-3' })
    assert.deepEqual(match('web 7f80'), { column: 'id', text: row.id })
    assert.deepEqual(match('ada'), { column: 'tags', text: 'owner=Ada' })
    assert.equal(match('52:54:00'), undefined)
    assert.equal(hiddenMatch(row, ['esx'], ['host']), undefined)
  })
})
