import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeChanges, isBrief } from './describe-changes.ts'

describe('what an event changed', () => {
  it('is text, before and after', () => {
    const changes = describeChanges({
      enabled: [true, false],
      name: ['web', 'www'],
      tags: [null, { env: 'prod' }],
      vcpu: [0, 2],
    })
    assert.deepEqual(changes, [
      { name: 'enabled', before: 'true', after: 'false' },
      { name: 'name', before: 'web', after: 'www' },
      { name: 'tags', before: '', after: '{"env":"prod"}' },
      { name: 'vcpu', before: '0', after: '2' },
    ])
  })

  it('leaves out what was and is nothing', () => {
    assert.deepEqual(describeChanges({ description: [null, ''] }), [])
  })

  it('is brief where it fits in a row', () => {
    assert.equal(isBrief(describeChanges({ enabled: [true, false] })), true)
    assert.equal(isBrief(describeChanges({ a: [1, 2], b: [1, 2], c: [1, 2] })), false)
    assert.equal(isBrief(describeChanges({ a: [null, 'x'.repeat(100)] })), false)
  })
})
