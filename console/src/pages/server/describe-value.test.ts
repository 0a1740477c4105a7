import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFormat } from '../../messages/format.ts'
import { describeValue } from './describe-value.ts'

const { size } = createFormat('en')
const describeIt = (value: unknown, field = 'status') => describeValue(field, value, size)

describe('a value in a history', () => {
  it('is itself', () => {
    assert.equal(describeIt('running'), 'running')
    assert.equal(describeIt(0), '0')
    assert.equal(describeIt(false), 'false')
    assert.equal(describeIt([{ mac: 'aa' }], 'nics'), '[{"mac":"aa"}]')
  })

  it('is told in units people use where it counts megabytes', () => {
    assert.equal(describeIt(16_384, 'vmem_size'), '16 GB')
    assert.equal(describeIt(16_384, 'update_version'), '16384')
  })

  it('is nothing where there was none', () => {
    assert.deepEqual(
      [null, '', [], undefined].map((value) => describeIt(value)),
      [undefined, undefined, undefined, undefined],
    )
  })
})
