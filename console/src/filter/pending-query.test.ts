import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filterKeys } from './keys.ts'
import { pendingQuery } from './pending-query.ts'

const typing = {
  keys: filterKeys,
  terms: [],
  draft: '',
  suggestions: [],
  isUnsettled: false,
  isFocused: true,
}
const value = (draft: string) => ({ draft, isFinished: true })
const statuses = [value('status:ready'), value('status:running')]

describe('the query to send while the user types', () => {
  it('is sent immediately if nothing is being typed', () => {
    assert.deepEqual(pendingQuery({ ...typing, terms: ['status:ready', 'web'] }), {
      q: 'status:ready web',
      delay: 0,
    })
  })

  it('leaves out a key without a value', () => {
    const { q } = pendingQuery({ ...typing, terms: ['web'], draft: 'status:' })
    assert.equal(q, 'web')
  })

  it('leaves out a partial value that has suggestions until it is complete', () => {
    const half = { ...typing, draft: 'status:re', suggestions: statuses }
    assert.equal(pendingQuery(half).q, '')
    assert.equal(pendingQuery({ ...half, draft: 'status:ready' }).q, 'status:ready')
  })

  it('leaves out a value while its suggestions are loading', () => {
    assert.equal(pendingQuery({ ...typing, draft: 'status:re', isUnsettled: true }).q, '')
  })

  it('leaves out addresses, dates and quotes until they are complete', () => {
    const drafts = [
      'ip:10.',
      'ip:10.4',
      'created>2026-',
      'updated>=2026-11',
      '"disk',
      'name:"web 0',
    ]
    for (const draft of drafts) {
      assert.equal(pendingQuery({ ...typing, terms: ['web'], draft }).q, 'web', draft)
      assert.notEqual(pendingQuery({ ...typing, draft, isFocused: false }).q, '', draft)
    }
  })

  it('waits longer for possible keys, and for values without suggestions', () => {
    const word = pendingQuery({ ...typing, draft: 'web' })
    assert.equal(word.q, 'web')
    assert.deepEqual(pendingQuery({ ...typing, draft: 's' }), { ...word, q: 's' })
    for (const draft of ['statu', '-prov', 'vcpu>=1', 'ip:10.4.0.0/16', 'ip:fd00::/8']) {
      const { q, delay } = pendingQuery({ ...typing, draft })
      assert.equal(q, draft)
      assert.ok(delay > word.delay, draft)
    }
  })

  it('uses the draft as it is when the input has lost the focus', () => {
    const left = { ...typing, draft: 'status:re', suggestions: statuses, isFocused: false }
    assert.deepEqual(pendingQuery(left), { q: 'status:re', delay: 0 })
    assert.equal(pendingQuery({ ...left, draft: 'status:' }).q, '')
  })
})
