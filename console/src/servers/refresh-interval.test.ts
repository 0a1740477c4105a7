import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRefreshInterval } from './refresh-interval.ts'

const [fastInterval, slowInterval] = [3_000, 60_000]
const starting = { id: 'a', status: 'starting' }

describe('how soon servers are looked at again', () => {
  function setUp() {
    let now = 0
    const interval = createRefreshInterval(() => now)
    const query = {}
    return {
      pass: (ms: number) => {
        now += ms
      },
      look: (...rows: { id: string; status?: string }[]) => interval(query, rows),
      lookElsewhere: (...rows: { id: string; status?: string }[]) => interval({}, rows),
    }
  }

  it('is seldom where nothing is under way, whatever it is called', () => {
    const { look } = setUp()
    assert.equal(look(), slowInterval)
    const settled = ['running', 'start_fail', 'a word that nobody knows', undefined]
    for (const status of settled) {
      assert.equal(look({ id: 'a', ...(status !== undefined && { status }) }), slowInterval)
    }
  })

  it('is often for half a minute, however many quiet minutes were before', () => {
    const { look, pass } = setUp()
    for (let minute = 0; minute < 30; minute += 1) {
      assert.equal(look({ id: 'a', status: 'running' }), slowInterval)
      pass(60_000)
    }
    assert.equal(look(starting), fastInterval)
    pass(29_000)
    assert.equal(look(starting), fastInterval)
    pass(1_000)
    assert.equal(look(starting), slowInterval)
  })

  it('is often again for another one, and for the next step of the same', () => {
    const { look, pass } = setUp()
    look(starting)
    pass(60_000)
    assert.equal(look(starting), slowInterval)
    assert.equal(look(starting, { id: 'b', status: 'stopping' }), fastInterval)
    pass(60_000)
    assert.equal(look(starting), slowInterval)
    assert.equal(look({ id: 'a', status: 'deploying' }), fastInterval)
  })

  it('is remembered for each query by itself', () => {
    const { look, lookElsewhere, pass } = setUp()
    look(starting)
    pass(60_000)
    assert.equal(look(starting), slowInterval)
    assert.equal(lookElsewhere(starting), fastInterval)
  })
})
