import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFormat } from '../../messages/format.ts'
import { describeValue } from './describe-value.ts'

const { size } = createFormat('en')
const describeIt = (value: unknown, field = 'status') => describeValue(field, value, size)

describe('a value in the history', () => {
  it('is shown unchanged', () => {
    assert.equal(describeIt('running'), 'running')
    assert.equal(describeIt(0), '0')
    assert.equal(describeIt(false), 'false')
    assert.equal(describeIt([{ mac: 'aa' }], 'nics'), '[{"mac":"aa"}]')
  })

  it('is formatted as a size if it counts megabytes', () => {
    assert.equal(describeIt(16_384, 'vmem_size'), '16 GB')
    assert.equal(describeIt(16_384, 'update_version'), '16384')
  })

  it('is undefined for a size that the source does not know', () => {
    for (const field of ['vcpu_count', 'vmem_size', 'disk'])
      assert.equal(describeIt(0, field), undefined)
  })

  it('is undefined if there was none', () => {
    assert.deepEqual(
      [null, '', [], undefined].map((value) => describeIt(value)),
      [undefined, undefined, undefined, undefined],
    )
  })
})
