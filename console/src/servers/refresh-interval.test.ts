import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRefreshInterval } from './refresh-interval.ts'

const [fastInterval, slowInterval] = [3_000, 60_000]
const starting = { id: 'a', status: 'starting' }

describe('the polling interval of servers', () => {
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

  it('is long while no server is in a transitional status', () => {
    const { look } = setUp()
    assert.equal(look(), slowInterval)
    const settled = ['running', 'start_fail', 'a word that nobody knows', undefined]
    for (const status of settled) {
      assert.equal(look({ id: 'a', ...(status !== undefined && { status }) }), slowInterval)
    }
  })

  it('is short for half a minute after a status change starts, even after a long idle time', () => {
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

  it('is short again for another server, and for the next transition of the same server', () => {
    const { look, pass } = setUp()
    look(starting)
    pass(60_000)
    assert.equal(look(starting), slowInterval)
    assert.equal(look(starting, { id: 'b', status: 'stopping' }), fastInterval)
    pass(60_000)
    assert.equal(look(starting), slowInterval)
    assert.equal(look({ id: 'a', status: 'deploying' }), fastInterval)
  })

  it('is tracked per query', () => {
    const { look, lookElsewhere, pass } = setUp()
    look(starting)
    pass(60_000)
    assert.equal(look(starting), slowInterval)
    assert.equal(lookElsewhere(starting), fastInterval)
  })
})
