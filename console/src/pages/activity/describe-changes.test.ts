import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeChanges, isBrief } from './describe-changes.ts'

describe('the changes of an event', () => {
  it('are texts, before and after', () => {
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

  it('leave out values that are empty before and after', () => {
    assert.deepEqual(describeChanges({ description: [null, ''] }), [])
  })

  it('are short if they fit into a table row', () => {
    assert.equal(isBrief(describeChanges({ enabled: [true, false] })), true)
    assert.equal(isBrief(describeChanges({ a: [1, 2], b: [1, 2], c: [1, 2] })), false)
    assert.equal(isBrief(describeChanges({ a: [null, 'x'.repeat(100)] })), false)
  })
})
