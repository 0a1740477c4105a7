import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeOver } from './growth.ts'

const day = (date: string, count: number) => ({
  date,
  count,
  vcpu_count: 0,
  vmem_size: 0,
  disk: 0,
  estimated: false,
})

describe('growth', () => {
  it('is the difference between the first and the last day', () => {
    const days = [day('2026-05-02', 10), day('2026-05-03', 99), day('2026-05-04', 7)]
    assert.deepEqual(changeOver(days), { since: '2026-05-02', by: -3 })
  })

  it('needs two days', () => {
    assert.equal(changeOver([day('2026-05-02', 10)]), undefined)
    assert.equal(changeOver([]), undefined)
  })
})
